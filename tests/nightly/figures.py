"""What the parts of a night say in numbers, read from their logs and files."""
import json
import re
from dataclasses import dataclass


@dataclass
class Figure:
    """A number that is compared with those of earlier nights."""
    name: str
    value: float
    unit: str = ""
    # "lower", "higher": a change the other way is a regression if it is larger than `tolerance` (a part of the earlier
    # value). "same": any change is. "none": only shown.
    better: str = "none"
    tolerance: float = 0.3


def number(pattern, text, default=None):
    """The first group of the last match, as a number."""
    found = re.findall(pattern, text)
    return float(found[-1].replace(",", "")) if found else default


def total(pattern, text):
    return sum(float(value) for value in re.findall(pattern, text))


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def rate(name, unit, count, seconds):
    return [Figure(name, count / seconds, unit + "/s", "higher", 0.5)] if count and seconds > 0 else []


def of_corpus(log, seconds, file):
    rows = load(file) or []
    expected = [row for row in rows if row["expected"]]
    broken = [row for row in expected if row["part"] == "broken"]
    figures = [Figure("as the manifest says", sum(row["as_expected"] for row in expected), "runs", "higher", 0),
               Figure("not as the manifest says", sum(not row["as_expected"] for row in expected), "runs", "lower", 0),
               Figure("known to be missed", sum(not row["as_expected"] for row in rows if not row["expected"]), "runs", "lower", 0)]
    if broken:
        figures += [Figure("schedules until a bug, all together", sum(row["schedules"] for row in broken), "", "lower", 0.02),
                    Figure("slowest of the broken", max(row["seconds"] for row in broken), "s", "lower", 0.5)]
    return figures


def of_tables(log, seconds, file):
    rows = load(file) or {}
    figures = [Figure("cells measured", len(rows), "", "none")]
    errors = [key for key, row in rows.items() if "error" in row]
    figures.append(Figure("cells with an error", len(errors), "", "lower", 0))
    columns = {}
    for row in rows.values():
        if row["table"] == "cooperari_5_3":
            found, all_rows = columns.get(row["column"], (0, 0))
            columns[row["column"]] = (found + row["found"], all_rows + 1)
        if row["table"] == "exitblock" and row.get("found"):
            figures.append(Figure("scale: " + row["command"], row["seconds"], "s", "lower", 0.5))
    for column, (found, all_rows) in sorted(columns.items()):
        controlled = column not in ("unconstrained", "none")
        figures.append(Figure(f"Cooperari's programs found by {column}", 100 * found / all_rows, "%",
                              "higher" if controlled else "none", 0.05))
    counts = {}
    for row in rows.values():
        if row["table"] == "counts" and not row.get("cut"):
            counts[row["column"]] = counts.get(row["column"], 0) + row["trials"]
    for column, schedules in sorted(counts.items()):
        figures.append(Figure(f"schedules of finite programs, {column}", schedules, "", "none"))
    return figures


def of_benchmarks(log, seconds, file):
    figures = []
    for title, ratio in re.findall(r"^(.{44}) .*: +([\d.]+) times \(fastest", log, re.M):
        figures.append(Figure(title.strip(), float(ratio), "times bare", "lower", 0.25))
    for title, microseconds in re.findall(r"^(.{44}) +([\d.]+) us median", log, re.M):
        figures.append(Figure(title.strip(), float(microseconds), "us", "lower", 0.5))
    title = ""
    for line in log.splitlines():
        match = re.match(r"  [\d.]+ schedules, [\d.]+ in a second, ([\d.]+) in a second of processor time", line)
        if match:
            figures.append(Figure("schedules: " + title, float(match[1]), "per s of processor time", "higher", 0.3))
        elif line and not line.startswith(" "):
            title = line.strip()
    return figures


def of_jobs(log, seconds, file):
    figures = []
    for jobs, times in re.findall(r"^(\d+) jobs: ([\d.]+) times as fast", log, re.M):
        figures.append(Figure(f"{jobs} jobs", float(times), "times as fast as one", "higher", 0.2))
    return figures


def of_tests(log, seconds, file):
    failed = number(r"(\d+) tests? failed out of", log, 0)
    return [Figure("tests", number(r"out of (\d+)", log, 0), "", "higher", 0), Figure("failed tests", failed, "", "lower", 0)]


def of_fuzzing(log, seconds, file):
    return rate("texts", "texts", number(r"number_of_executed_units: (\d+)", log), seconds)


def of_long_search(log, seconds, file):
    kilobytes = number(r"at last (\d+) kB", log)
    figures = rate("steps", "steps", number(r"(\d+) steps; at first", log), seconds)
    return figures + ([Figure("memory at last", kilobytes / 1024, "MB", "lower", 0.3)] if kilobytes else [])


def of_comparison(log, seconds, file):
    """compare_programs, compare_twins: a line for each family."""
    return rate("programs", "programs", total(r": (\d+) programs", log), seconds) + \
        rate("searches", "searches", total(r", (\d+) searches", log), seconds)


def of_classes(log, seconds, file):
    return rate("comparisons", "comparisons", number(r"(\d+) comparisons", log), seconds)


def of_bounds(log, seconds, file):
    """compare_bounds: a line for each bound."""
    figures = []
    pattern = (r"^bound (\d): (\d+) in all, (\d+) by blocks, (\d+) by classes; "
               r"more by classes than in all in (\d+), than by blocks in (\d+) of (\d+) programs")
    for bound, *counts in re.findall(pattern, log, re.M):
        in_all, blocks, classes, more_than_all, more_than_blocks, programs = map(int, counts)
        if programs > 0 and blocks > 0 and in_all > 0:
            figures += [Figure(f"schedules by classes, bound {bound}", classes / blocks, "of those by blocks", "lower", 0.2),
                        Figure(f"schedules by classes among all, bound {bound}", classes / in_all, "of all", "lower", 0.2),
                        Figure(f"more by classes than by blocks, bound {bound}", 100 * more_than_blocks / programs, "% of programs"),
                        Figure(f"more by classes than in all, bound {bound}", 100 * more_than_all / programs, "% of programs")]
    return figures


def of_sarif(log, seconds, file):
    return [Figure("valid files", number(r"(\d+) files are valid", log, 0), "", "higher", 0)]


def of_races(log, seconds, file):
    figures = []
    for tool, row in ((load(file) or {}).get("summary") or {}).items():
        ours = tool == "coopcheck"
        figures += [Figure(f"{tool}: races found", row["found"], "", "higher" if ours else "none", 0),
                    Figure(f"{tool}: false alarms", len(row["false_alarms"]), "", "lower" if ours else "none", 0)]
    return figures
