#!/usr/bin/env python3
"""night.py --root ROOT --seconds S --seed N --folder DIR --history FILE: runs the parts of a night, two at a time where that
does not disturb them, and writes report.html and report.json into the folder.

Parts that are finished (DIR/parts/NAME.json) are not run again, so a night that was interrupted can be gone on with. A finished night
adds a line to the history. Exits with 0 if all is well, 1 if a part failed or a figure is worse than it was, 3 if time was
over before all was run, 130 if interrupted.
"""
import argparse
import concurrent.futures
import ctypes
import datetime
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Callable

import figures
import page

# A night that is shorter leaves out what cannot be cut.
LONG_NIGHT = 3600
NIGHTS_TO_COMPARE = 10
CUT = 3  # the exit code of those who say that their time was over


@dataclass
class Part:
    name: str
    title: str
    # Gets the seconds that it may take.
    command: Callable[[int], list]
    figures: Callable
    # Of the time of the night.
    share: float
    # It measures time: nothing else runs meanwhile.
    alone: bool = False
    # It takes the time that it takes; a short night leaves it out.
    long: bool = False
    file: str = ""


def all_parts(options):
    tests = os.path.join(options.root, "build", "release", "tests")
    scripts = os.path.join(options.root, "scripts")
    release = os.path.join(options.root, "build", "release")
    seed = str(options.seed)
    corpus, tables, races = (os.path.join(options.folder, name) for name in ("corpus.json", "results.json", "races.json"))
    parts = [
        Part("benchmarks", "Benchmarks", lambda s: [f"{scripts}/bench"], figures.of_benchmarks, 0.05, alone=True),
        Part("jobs", "One search, several jobs", lambda s: [sys.executable, os.path.join(options.root, "tests", "nightly", "compare_jobs.py"),
                                                            f"{release}/cmd/coopcheck", f"{release}/corpus", str(s)],
             figures.of_jobs, 0.05, alone=True),
        Part("corpus", "The corpus", lambda s: [f"{tests}/check_corpus", str(s), corpus], figures.of_corpus, 0.25, alone=True, file=corpus),
        Part("tables", "The papers' tables", lambda s: [f"{tests}/paper_tables", "measure", str(s), tables], figures.of_tables, 0.2,
             alone=True, file=tables),
        Part("sanitized", "All tests, sanitized", lambda s: [f"{scripts}/test", "--sanitize"], figures.of_tests, 0.4, long=True),
        Part("programs", "Programs against brute force", lambda s: [f"{tests}/compare_programs", str(s), seed], figures.of_comparison, 0.15),
        Part("classes", "Classes of programs", lambda s: [f"{tests}/compare_classes", str(s), seed], figures.of_classes, 0.1),
        Part("bounds", "Classes within bounds, and blocks", lambda s: [f"{tests}/compare_bounds", str(s), seed], figures.of_bounds, 0.05),
        Part("twins", "Programs on fibers and as processes", lambda s: [f"{tests}/compare_twins", str(s), seed], figures.of_comparison, 0.1),
        # As many steps as fit, also where other parts run beside it: it has to come to its end.
        Part("long_search", "A long search does not grow", lambda s: [f"{tests}/long_search", str(min(1_000_000, s * 300)), str(s)],
             figures.of_long_search, 0.08),
        Part("fuzzing", "Traces from anywhere", lambda s: [f"{scripts}/fuzz", str(min(s, 600))], figures.of_fuzzing, 0.05),
        Part("sarif", "SARIF is valid", lambda s: [f"{scripts}/check-sarif"], figures.of_sarif, 0.05, long=True),
    ]
    if os.path.exists(f"{scripts}/compare-races"):
        parts.append(Part("races", "Race detectors compared", lambda s: [f"{scripts}/compare-races", races], figures.of_races, 0.15, long=True,
                          file=races))
    return [part for part in parts if not options.only or part.name in options.only]


def die_with_us():
    """In a child: the kernel ends it when we are killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Night:
    def __init__(self, options):
        self.options = options
        self.start = time.monotonic()
        self.lock = threading.Lock()
        self.running = {}
        self.interrupted = False
        os.makedirs(os.path.join(options.folder, "parts"), exist_ok=True)

    def left(self):
        return self.options.seconds - (time.monotonic() - self.start)

    def path(self, part, ending):
        return os.path.join(self.options.folder, "parts", f"{part.name}.{ending}")

    def say(self, text):
        print(text, flush=True)

    def known(self, part):
        return figures.load(self.path(part, "json"))

    def interrupt(self, *_):
        self.interrupted = True
        with self.lock:
            for process in self.running.values():
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def run(self, part):
        """Runs the part, unless that has been done, and writes down what it came to."""
        if self.known(part) or self.interrupted:
            return
        if part.long and self.options.seconds < LONG_NIGHT and part.name not in (self.options.only or []):
            self.finish(part, "left out", f"takes longer than a night of {self.options.seconds} s", 0)
            return
        seconds = int(self.left() if part.long else min(self.left(), max(10, self.options.seconds * part.share)))
        if seconds < 5:
            return
        self.say(f"{part.title}, {seconds} s at most ...")
        started = time.monotonic()
        # Those who are told how long they have get some more for the last thing they do.
        limit = seconds if part.long else seconds + max(60, seconds // 2)
        with open(self.path(part, "log"), "w", encoding="utf-8") as log:
            # Without a terminal, in a group of its own, so that all of it can be ended.
            process = subprocess.Popen(part.command(seconds), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                       cwd=self.options.root, start_new_session=True, preexec_fn=die_with_us)
            with self.lock:
                self.running[part.name] = process
            status = self.wait(process, limit)
            with self.lock:
                del self.running[part.name]
        took = time.monotonic() - started
        if self.interrupted:
            return
        if status == 0:
            self.finish(part, "passed", "", took)
        elif status in (None, CUT):
            self.finish(part, "cut", "its time was over", took)
        else:
            self.finish(part, "failed", f"exit code {status}" if status > 0 else f"signal {-status}", took)

    @staticmethod
    def wait(process, limit):
        """The exit code; nothing if it had to be ended."""
        for sign, patience in ((None, limit), (signal.SIGTERM, 30), (signal.SIGKILL, None)):
            if sign:
                os.killpg(process.pid, sign)
            try:
                code = process.wait(patience)
                return code if sign is None else None
            except subprocess.TimeoutExpired:
                pass
        return None

    def finish(self, part, status, why, seconds):
        with open(self.path(part, "log"), "a+", encoding="utf-8", errors="replace") as log:
            log.seek(0)
            text = log.read()
        result = {"name": part.name, "title": part.title, "status": status, "why": why, "seconds": seconds,
                  "tail": "\n".join(text.splitlines()[-30:]),
                  "figures": [asdict(figure) for figure in part.figures(text, seconds, part.file)] if status != "left out" else []}
        with open(self.path(part, "json") + ".new", "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
        os.rename(self.path(part, "json") + ".new", self.path(part, "json"))
        self.say(f"  {status:9} {part.title} ({seconds:.0f} s) {why}")

    def run_all(self, parts):
        for part in parts:
            if part.alone:
                self.run(part)
        together = [part for part in parts if not part.alone]
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, os.cpu_count() or 1)) as pool:
            for done in [pool.submit(self.run, part) for part in together]:
                done.result()


def machine():
    processor = "an unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    return f"{processor}, {os.cpu_count()} CPUs, Linux {platform.release()}"


def commit_of(root):
    result = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else "unknown"


def read_history(path):
    nights = []
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip():
                    nights.append(json.loads(line))
    except OSError:
        pass
    return nights


def is_worse(figure, before):
    value, slack = figure["value"], figure["tolerance"] * abs(before)
    return {"lower": value > before + slack, "higher": value < before - slack, "same": value != before}.get(figure["better"], False)


def judge(results, history, is_finished):
    """All figures with those of the nights before, and what is worse now."""
    all_figures, regressions = {}, []
    for result in results:
        for figure in result["figures"]:
            name = f'{result["title"]}: {figure["name"]}'
            earlier = [night["figures"][name] for night in history if name in night["figures"]][-NIGHTS_TO_COMPARE:]
            before = statistics.median(earlier) if earlier else None
            all_figures[name] = {**figure, "part": result["name"], "before": before}
            # What was cut is not to be compared: it did less.
            if before is not None and result["status"] == "passed" and is_worse(figure, before):
                regressions.append({"figure": name, "value": figure["value"], "unit": figure["unit"], "before": before})
    failed = [result for result in results if result["status"] == "failed"]
    unfinished = [result for result in results if result["status"] in ("cut", "waiting")]
    if failed or regressions:
        verdict = f"{len(failed)} failed, {len(regressions)} figures are worse than before"
        return all_figures, regressions, verdict, 1
    if unfinished or not is_finished:
        return all_figures, regressions, f"nothing is wrong, but {len(unfinished)} parts are not finished", 3
    return all_figures, regressions, "all is well", 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", required=True)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--history", required=True)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    finished_mark = os.path.join(options.folder, "finished")
    if os.path.exists(finished_mark):
        # That night is over; this is the next one.
        old = options.folder.rstrip("/") + ".before"
        subprocess.run(["rm", "-rf", old], check=True)
        os.rename(options.folder, old)
    night = Night(options)
    signal.signal(signal.SIGINT, night.interrupt)
    signal.signal(signal.SIGTERM, night.interrupt)
    parts = all_parts(options)
    night.run_all(parts)
    results = [night.known(part) or {"name": part.name, "title": part.title, "status": "waiting", "why": "", "seconds": 0, "tail": "",
                                     "figures": []} for part in parts]
    is_finished = all(result["status"] != "waiting" for result in results)
    history = read_history(options.history)
    all_figures, regressions, verdict, exit_code = judge(results, history, is_finished)
    if night.interrupted:
        exit_code, verdict = 130, "interrupted; the same command goes on"
    report = {"night": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), "machine": machine(),
              "commit": commit_of(options.root), "seed": options.seed, "seconds": round(sum(result["seconds"] for result in results)),
              "seconds_given": options.seconds, "verdict": verdict, "exit_code": exit_code, "regressions": regressions,
              "parts": [{key: value for key, value in result.items() if key != "figures"} for result in results], "figures": all_figures}
    line = {key: report[key] for key in ("night", "machine", "commit", "seed", "seconds_given", "exit_code")}
    line["parts"] = {result["name"]: result["status"] for result in results}
    # Of parts that were cut, what they did in less time is no measure for others.
    line["figures"] = {name: figure["value"] for name, figure in all_figures.items()
                       if line["parts"][figure["part"]] in ("passed", "failed")}
    with open(os.path.join(options.folder, "report.json"), "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
    with open(os.path.join(options.folder, "report.html"), "w", encoding="utf-8") as file:
        file.write(page.render(report, history + [line]))
    if is_finished and not night.interrupted:
        os.makedirs(os.path.dirname(os.path.abspath(options.history)), exist_ok=True)
        with open(options.history, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        with open(finished_mark, "w", encoding="utf-8") as file:
            file.write(report["night"] + "\n")
    for entry in regressions:
        print(f'worse: {entry["figure"]}: {page.short(entry["value"])} {entry["unit"]}, before {page.short(entry["before"])}')
    print(f'{verdict}; {os.path.join(options.folder, "report.html")}')
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
