#!/usr/bin/env python3
"""page_test.py COOPCHECK CORPUS [--screenshots DIR]: report.html in a headless Chromium.

Exits with 77 where there is no Chromium with its driver.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

from webdriver import Browser, is_available

options = None
browser = None
folder = None


def explore(program):
    """The page of a program of the corpus."""
    out = os.path.join(folder, program)
    subprocess.run([options.coopcheck, "explore", "--estimate", "--out", out, os.path.join(options.corpus, program)],
                   stdout=subprocess.DEVNULL, check=False)
    return "file://" + os.path.join(out, "report.html")


def show(trace, name):
    """The page of a trace that was made up."""
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    page = os.path.join(folder, name + ".html")
    subprocess.run([options.coopcheck, "show", "--html", page, path], check=True)
    return "file://" + page


def made_up(steps, message="made up"):
    return {"format": "coopcheck-trace", "version": 2, "tool": "coopcheck test",
            "program": {"path": "./made-up", "absolute_path": "/made-up", "arguments": []},
            "options": {"timeouts": "lazy", "spurious": 0},
            "finding": {"kind": "assertion", "thread": "T0", "at": {"operation": "failure"}, "message": message},
            "preemptions": sum(step["switch"] == "preemption" for step in steps), "minimal": False, "steps": steps}


def many_steps(count, threads):
    """Threads that take and give one lock, each interrupted by the next."""
    steps = []
    for i in range(count):
        thread = f"T0.{i // 2 % threads + 1}"
        lock = i % 2 == 0
        steps.append({"thread": thread, "switch": "start" if i == 0 else "preemption" if lock else "continue",
                      "operation": "mutex-lock" if lock else "mutex-unlock", "object": "m",
                      ("takes" if lock else "gives"): ["m"]})
    return steps


def race():
    """Two threads before their accesses to one member."""
    trace = made_up([
        {"thread": "T0", "switch": "start", "operation": "thread-create", "target": "T0.1", "source": "main list.c:30"},
        {"thread": "T0", "switch": "continue", "operation": "thread-create", "target": "T0.2", "source": "main list.c:31"},
        {"thread": "T0.1", "switch": "preemption", "operation": "thread-start"},
        {"thread": "T0.1", "switch": "continue", "operation": "mutex-lock", "object": "m", "source": "push list.c:9", "takes": ["m"]},
        {"thread": "T0.2", "switch": "preemption", "operation": "thread-start"}])
    place = {"operation": "read", "location": "heap+0x2a8"}
    trace["version"] = 3
    trace["finding"] = {
        "kind": "race", "thread": "T0.2", "at": place, "source": "sum list.c:20", "race": {
            "first": {"thread": "T0.1", "operation": "write", "location": "heap+0x2a8", "size": 4, "before": "0x0", "after": "0x2a",
                      "instruction": "list+0x1189: mov dword ptr [rax+0x08], 0x2a", "locks": ["m"], "source": "push list.c:10", "stack": 1},
            "second": {"thread": "T0.2", **place, "size": 4, "before": "0x2a", "source": "sum list.c:20", "stack": 2},
            "allocation": {"thread": "T0", "size": 24, "offset": 8, "source": "make list.c:5"}}}
    trace["labels"] = {"heap+0x2a8": "Node.value", "m": "list.lock"}
    trace["stacks"] = [["push list.c:10", "fill list.c:14"], ["sum list.c:20"]]
    trace["places"] = [
        {"source": "push list.c:10", "path": "/src/list.c", "line": 10, "first_line": 8,
         "lines": ["static void push(Node* node) {", "    pthread_mutex_lock(&list.lock);", "    node->value = 42;", "    pthread_mutex_unlock(&list.lock);"]},
        {"source": "sum list.c:20", "path": "/src/list.c", "line": 20, "first_line": 18,
         "lines": ["static int sum(const Node* node) {", "    int total = 0;", "    for (; node; node = node->next) total += node->value;"]}]
    return trace


def screenshot(name):
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
        browser.screenshot(os.path.join(options.screenshots, name + ".png"))


def selected():
    return browser.run("const row = document.querySelector('.row.selected'); return row && row.id;")


def luminance(color):
    parts = [int(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    bright, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


class Page(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(browser.errors(), [], "errors on the console")

    def test_a_finding_has_a_lane_for_each_thread_and_a_row_for_each_step(self):
        browser.open(explore("philosophers"))
        screenshot("top")
        self.assertIn("deadlock (cycle)", browser.run("return document.querySelector('#f1 h2').textContent"))
        heads = browser.run("return [...document.querySelectorAll('.pane:first-child .heads div')].map((head) => head.textContent)")
        self.assertEqual(heads, ["step", "T0 main", "T0.1 dine", "T0.2 dine", "T0.3 dine"])
        with open(os.path.join(folder, "philosophers", "trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        rows = browser.run("return document.querySelectorAll('#f1 .pane:first-child .row').length")
        self.assertEqual(rows, len(trace["steps"]) + len(trace["finding"]["waits"]))
        self.assertEqual(browser.run("return document.querySelectorAll('#f1 .pane').length"), 2, "failing and passing")
        self.assertEqual(browser.run("return [...document.querySelectorAll('.row.differs')].map((row) => row.id)"),
                         [f"f1-step-{trace['decision']['step']}", f"f1-pass-{trace['decision']['step']}"])
        self.assertGreater(browser.run("return document.querySelectorAll('.row .bar').length"), 0, "locks are bars")
        self.assertGreater(browser.run("return document.querySelectorAll('.row .lane.blocked').length"), 0)
        self.assertGreater(browser.run("return document.querySelectorAll('.row .turn.preemption').length"), 0)
        self.assertGreater(browser.run("return document.querySelectorAll('table.coverage td').length"), 0)
        self.assertGreater(browser.run("return document.querySelectorAll('.plots svg').length"), 0)

    def test_steps_are_walked_through_by_keyboard(self):
        browser.open(explore("bank"))
        for _ in range(30):  # by Tab alone, as without a mouse
            browser.press("Tab")
            if browser.run("return document.activeElement.className") == "rows":
                break
        self.assertEqual(browser.run("return document.activeElement.className"), "rows")
        browser.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp")
        self.assertEqual(selected(), "f1-step-2")
        self.assertEqual(browser.run("return location.hash"), "#f1-step-2")
        self.assertEqual(browser.run("return document.activeElement.getAttribute('aria-activedescendant')"), "f1-step-2")
        browser.press("p")
        marks = browser.run("return document.querySelector('.row.selected .mark').textContent")
        self.assertIn("*", marks)
        browser.press("Enter")
        details = browser.run("return document.querySelector('.details').textContent")
        self.assertIn("by a preemption", details)
        browser.press("ArrowDown", "Enter")
        here = browser.run("return document.querySelector('.details .here').textContent")
        self.assertIn("lock_guard", here)
        self.assertGreater(browser.run("return document.querySelectorAll('.details .stack li').length"), 1)
        screenshot("details")
        browser.press("Escape")
        self.assertEqual(browser.run("return document.querySelectorAll('.details').length"), 0)
        browser.press("Home")
        self.assertEqual(selected(), "f1-step-1")
        browser.press("d")
        self.assertIn("!", browser.run("return document.querySelector('.row.selected .mark').textContent"))

    def test_a_link_leads_to_its_step(self):
        page = explore("bank")
        browser.open(page + "#f1-step-4")
        self.assertEqual(selected(), "f1-step-4")
        self.assertEqual(browser.run("return document.querySelectorAll('.details').length"), 1)
        browser.open(page + "#f1-pass-8")
        self.assertEqual(selected(), "f1-pass-8")
        browser.open(page + "#f9-step-1000")
        self.assertIsNone(selected())

    def test_a_click_opens_a_step_and_closes_it_again(self):
        browser.open(explore("bank"))
        browser.click("#f1-step-4")
        self.assertEqual(browser.run("return document.querySelectorAll('.details').length"), 1)
        browser.click("#f1-step-4")
        self.assertEqual(browser.run("return document.querySelectorAll('.details').length"), 0)

    def test_text_can_be_read_in_light_and_dark(self):
        page = explore("bank")
        grounds = []
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.open(page + "#f1-step-4")
            screenshot(scheme)
            grounds.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
            for selector in ("body", ".soft", ".bad", ".row .lane.runs", ".row .place", ".details", ".here", ".panel code", ".legend"):
                pair = browser.run("""
                    let element = document.querySelector(arguments[0]);
                    const color = getComputedStyle(element).color;
                    let ground = "rgba(0, 0, 0, 0)";
                    while (element && ground === "rgba(0, 0, 0, 0)") {
                        ground = getComputedStyle(element).backgroundColor;
                        element = element.parentElement;
                    }
                    return [color, ground];""", selector)
                self.assertGreaterEqual(contrast(*pair), 4.5, f"{selector} in {scheme}: {pair}")
        self.assertGreater(contrast(*grounds), 10)
        browser.prefer("light")

    def test_ten_thousand_steps_cost_no_more_than_what_can_be_seen(self):
        browser.open(show(made_up(many_steps(10000, 8)), "many"))
        screenshot("many")
        rows = "return document.querySelectorAll('.row').length"
        self.assertLess(browser.run(rows), 100)
        browser.run("document.querySelector('.rows').focus()")
        browser.press("End")
        self.assertEqual(selected(), "f1-step-10000")
        self.assertLess(browser.run(rows), 100)
        browser.press(*["PageUp"] * 20, "P", "Enter")
        self.assertEqual(browser.run("return document.querySelectorAll('.details').length"), 1)
        browser.press("Home")
        self.assertEqual(selected(), "f1-step-1")
        self.assertEqual(browser.run("return document.querySelector('.rows').getAttribute('aria-rowcount')"), "10000")

    def test_a_race_has_both_accesses_with_their_lines_and_ends_before_them(self):
        page = show(race(), "race")
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.open(page)
            screenshot("race-" + scheme)
        browser.prefer("light")
        self.assertIn("race on Node.value between T0.1 and T0.2", browser.run("return document.querySelector('#f1 h2').textContent"))
        accesses = browser.run("return [...document.querySelectorAll('.access')].map((box) => box.textContent)")
        self.assertEqual(len(accesses), 2)
        self.assertIn("T0.1 writes 4 bytes (0x0 -> 0x2a), holding list.lock", accesses[0])
        self.assertIn("T0.2 reads 4 bytes (0x2a), with no lock", accesses[1])
        self.assertEqual(browser.run("return [...document.querySelectorAll('.access .here')].map((line) => line.textContent.trim().slice(0, 4))"),
                         [">   10"[:4], ">   20"[:4]])
        ends = browser.run("return [...document.querySelectorAll('.row .lane.waits .words')].map((lane) => lane.textContent)")
        self.assertEqual(ends, ["next: write Node.value", "next: read Node.value"])
        browser.press("Tab")
        browser.run("document.querySelector('.rows').focus()")
        browser.press("End", "Enter")
        self.assertIn("is about to: read Node.value", browser.run("return document.querySelector('.details').textContent"))

    def test_a_narrow_window_shows_everything_without_scrolling_the_page_sideways(self):
        far_away = made_up(many_steps(20, 3), "no-place-to-break-" * 20)
        far_away["program"] = {"path": "/a" + "/folder" * 30, "absolute_path": "/a" + "/folder" * 30, "arguments": ["x" * 200]}
        for page in (show(race(), "race"), explore("philosophers"), show(far_away, "far-away")):
            browser.resize(320, 900)
            browser.open(page)
            screenshot("narrow-" + os.path.basename(page))
            wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            browser.resize(1400, 1000)
            self.assertLessEqual(wide, 0)

    def test_what_a_program_says_is_text_and_nothing_else(self):
        evil = "</script><script>window.broken = true</script><!-- <img src=x onerror=broken>"
        steps = [{"thread": "T0", "switch": "start", "operation": "mutex-lock", "object": evil}]
        browser.open(show(made_up(steps, evil), "evil"))
        self.assertIsNone(browser.run("return window.broken || null"))
        self.assertIn(evil, browser.run("return document.querySelector('#f1 h2').textContent"))
        self.assertIn(evil, browser.run("return document.querySelector('.row .words').textContent"))

    def test_everything_has_a_name_for_those_who_do_not_see_it(self):
        browser.open(explore("bank"))
        unnamed = browser.run("""
            const nameless = (element) => !(element.getAttribute("aria-label") || element.textContent.trim());
            return [...document.querySelectorAll("button, a, [role=row], [role=grid], [role=img], [role=region]")]
                .filter(nameless).map((element) => element.outerHTML.slice(0, 100));""")
        self.assertEqual(unnamed, [])
        self.assertEqual(browser.run("return document.documentElement.lang"), "en")
        self.assertEqual(browser.run("return document.querySelectorAll('th:not([scope])').length"), 0)
        # Nothing comes from elsewhere.
        self.assertEqual(browser.run("return performance.getEntriesByType('resource').length"), 0)


def main():
    global options, browser, folder
    parser = argparse.ArgumentParser()
    parser.add_argument("coopcheck")
    parser.add_argument("corpus")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    if not is_available():
        print("There is no chromium with chromedriver here; the page was not tested.")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = temporary
        browser = Browser()
        try:
            result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
        finally:
            browser.close()
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
