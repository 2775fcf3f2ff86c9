#!/usr/bin/env python3
"""compare_jobs.py COOPCHECK CORPUS SECONDS: the same searches by one job and by as many as there are CPUs. They have to say the
same, in as many schedules but where source sets are shared; prints how much sooner. Exits with 1 if they do not.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

# Of some thousand schedules each.
BLOCKS = "--strategy=exitblock"
SOURCE = "--strategy=source"
SEARCHES = [[BLOCKS, "--bound", "3", "philosophers_fixed", "4"], [BLOCKS, "--bound", "2", "if_instead_of_while_fixed"],
            [BLOCKS, "--keep-going", "--bound", "3", "philosophers", "4"],
            [SOURCE, "philosophers_fixed", "11"], ["--bound", "1", "exitblock/regions_fixed", "4", "5"]]


def explore(coopcheck, corpus, jobs, words):
    place = next(index for index, word in enumerate(words) if not word.startswith("-") and not word.isdigit())
    with tempfile.TemporaryDirectory() as folder:
        command = [coopcheck, "explore", "--jobs", str(jobs), "--races", "off", "--minimize-time", "0", "--out", folder, *words[:place],
                   os.path.join(corpus, words[place]), *words[place + 1:]]
        start = time.monotonic()
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
    said = "\n".join(line for line in result.stdout.splitlines() if "trace" not in line and folder not in line)
    # How many schedules source sets take may depend on who is quicker.
    return (result.returncode, re.sub(r"\(\d+ run[^)]*\)", "", said) if SOURCE in words else said), seconds


def main():
    coopcheck, corpus, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    jobs = os.cpu_count() or 1
    end = time.monotonic() + seconds
    one = many = 0.0
    while True:
        for words in SEARCHES:
            alone, seconds_alone = explore(coopcheck, corpus, 1, words)
            together, seconds_together = explore(coopcheck, corpus, jobs, words)
            print(" ".join(words), f"{seconds_alone:.2f} s alone, {seconds_together:.2f} s together", flush=True)
            if alone != together:
                print("not the same:", alone, together, sep="\n")
                return 1
            one += seconds_alone
            many += seconds_together
        if time.monotonic() + 2 * (one + many) > end:
            break
    print(f"{jobs} jobs: {one / many:.2f} times as fast as one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
