#!/usr/bin/env python3
"""night_test.py: nights made of small commands; what is worse is named, what is finished is not run again."""
import argparse
import json
import os
import tempfile
import unittest

import figures
import night
import page


def options(folder, seconds=60):
    return argparse.Namespace(root=folder, seconds=seconds, seed=1, folder=os.path.join(folder, "night"),
                              history=os.path.join(folder, "history.jsonl"), only=None)


def part(name, script, **more):
    def read(log, seconds, file):
        value = figures.number(r"value (\d+)", log)
        return [figures.Figure("value", value, "s", "lower", 0.1)] if value is not None else []
    return night.Part(name, name.title(), lambda seconds: ["sh", "-c", script], read, 0.5, **more)


def result(status="passed", **figure):
    return {"name": "part", "title": "Part", "status": status, "why": "", "seconds": 1, "tail": "",
            "figures": [{"name": "value", "unit": "s", "better": "lower", "tolerance": 0.1, **figure}]}


def nights(*values):
    return [{"night": f"2026-01-{day + 1:02}", "figures": {"Part: value": value}} for day, value in enumerate(values)]


class Runs(unittest.TestCase):
    def test_a_part_that_is_finished_is_not_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            marks = os.path.join(folder, "marks")
            for _ in range(2):
                night.Night(options(folder)).run_all([part("one", f"echo run >>{marks}; echo value 7")])
            with open(marks, encoding="utf-8") as file:
                self.assertEqual(file.read(), "run\n")

    def test_how_a_part_ended_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            parts = [part("good", "echo value 7"), part("bad", "echo broken; exit 2"), part("over", "exit 3", alone=True),
                     part("never", "exit 1", long=True)]
            run = night.Night(options(folder))
            run.run_all(parts)
            known = {one.name: run.known(one) for one in parts}
            self.assertEqual({name: one["status"] for name, one in known.items()},
                             {"good": "passed", "bad": "failed", "over": "cut", "never": "left out"})
            self.assertEqual(known["good"]["figures"][0]["value"], 7)
            self.assertEqual(known["bad"]["why"], "exit code 2")
            self.assertIn("broken", known["bad"]["tail"])

    def test_without_time_nothing_is_begun(self):
        with tempfile.TemporaryDirectory() as folder:
            one = part("one", "exit 1")
            run = night.Night(options(folder, seconds=0))
            run.run_all([one])
            self.assertIsNone(run.known(one))


class Judgement(unittest.TestCase):
    def test_a_figure_beyond_its_tolerance_is_worse(self):
        for value, code in ((10, 0), (11, 0), (11.5, 1), (5, 0)):
            with self.subTest(value=value):
                _, regressions, _, exit_code = night.judge([result(value=value)], nights(10, 10, 30), True)
                self.assertEqual(exit_code, code)
                self.assertEqual(len(regressions), code)

    def test_the_first_night_has_nothing_to_be_compared_with(self):
        self.assertEqual(night.judge([result(value=100)], [], True)[3], 0)

    def test_what_was_cut_is_not_compared_and_not_finished(self):
        self.assertEqual(night.judge([result("cut", value=100)], nights(10), True)[3], 3)

    def test_what_failed_is_a_failure_whatever_the_figures_are(self):
        self.assertEqual(night.judge([result("failed", value=10)], nights(10), True)[3], 1)


class Figures(unittest.TestCase):
    def test_schedules_within_bounds_are_compared_with_those_by_blocks_and_with_all(self):
        log = ("bound 0: 40 in all, 20 by blocks, 10 by classes; more by classes than in all in 1, than by blocks in 2 of 4 programs\n"
               "  worst: 3 by classes, 2 in all (racy, seed 7)\n"
               "left out: 1 programs with more than 200000 schedules\n")
        self.assertEqual({one.name: one.value for one in figures.of_bounds(log, 1, "")},
                         {"schedules by classes, bound 0": 0.5, "schedules by classes among all, bound 0": 0.25,
                          "more by classes than by blocks, bound 0": 50, "more by classes than in all, bound 0": 25})


class Page(unittest.TestCase):
    def test_what_is_worse_comes_first_and_texts_are_escaped(self):
        results = [result(value=20), {**result("failed", value=1), "name": "other", "title": "<b>Other</b>"}]
        history = nights(10, 11)
        all_figures, regressions, verdict, code = night.judge(results, history, True)
        report = {"night": "2026-01-09", "machine": "<i>machine</i>", "commit": "abc", "seed": 1, "seconds": 2, "seconds_given": 3,
                  "verdict": verdict, "exit_code": code, "regressions": regressions, "figures": all_figures,
                  "parts": [{key: value for key, value in one.items() if key != "figures"} for one in results]}
        text = page.render(json.loads(json.dumps(report)), history + [{"night": "2026-01-09", "figures": {"Part: value": 20}}])
        self.assertLess(text.index("What is worse"), text.index("<h2>Parts</h2>"))
        self.assertIn("Part: value: 20 s, before 10.5", text)
        self.assertNotIn("<b>Other", text)
        self.assertNotIn("<i>machine", text)
        self.assertEqual(text.count("<circle"), 3)


if __name__ == "__main__":
    unittest.main()
