// The page: summary, findings, coverage, the search.

const data = JSON.parse(document.getElementById("data").textContent);
const diagrams = new Map();

const exitWords = {
    0: "nothing found, complete", 1: "something found", 2: "could not be explored", 3: "nothing found, not complete",
    4: "a bug in coopcheck", 130: "interrupted",
};

function verdict(run) {
    const kind = run.exit_code === 0 ? "good" : run.exit_code === 1 ? "bad" : "warn";
    return element("strong", { class: kind }, exitWords[run.exit_code] || "exit code " + run.exit_code);
}

function command(run) { return [run.program].concat(run.arguments).join(" "); }

function header() {
    const top = document.getElementById("top");
    top.append(element("h1", {}, "coopcheck: " + (data.report.runs.length === 1 ? data.report.runs[0].name : data.report.runs.length + " programs")));
    top.append(element("p", { class: "soft" }, data.report.tool));
    document.title = "coopcheck: " + data.report.runs.map((run) => run.name).join(", ").slice(0, 80);
}

function summaryTable() {
    const body = element("tbody");
    data.report.runs.forEach((run, i) => {
        body.append(element("tr", {}, element("td", {}, element("a", { href: "#run" + (i + 1) }, run.name)), element("td", {}, verdict(run)),
            element("td", { class: "number" }, String(run.findings.length)), element("td", { class: "number" }, run.seconds.toFixed(2) + " s")));
    });
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "all programs" }, element("table", {},
        element("thead", {}, element("tr", {}, ...["program", "result", "findings", "time"].map((word) => element("th", { scope: "col" }, word)))), body));
}

function runSummary(run) {
    const panel = element("div", { class: "panel claim" }, element("p", {}, verdict(run), " ", element("code", {}, command(run))));
    for (const claim of run.claims) panel.append(element("p", {}, claim));
    if (run.error) panel.append(element("p", { class: "bad" }, run.error));
    if (run.conditions.length) panel.append(element("p", {}, "Holds if: " + run.conditions.join("; ") + "."));
    for (const sentence of run.suppressions || []) panel.append(element("p", {}, sentence + "."));
    const counts = Object.entries(run.counts).filter(([, count]) => count > 0).map(([name, count]) => count + " " + name);
    if (counts.length) panel.append(element("p", { class: "soft" }, "Schedules: " + counts.join(", ") + ". Time: " + run.seconds.toFixed(2) + " s. Strategy: " + run.strategy + "."));
    return panel;
}

// Only what there is to be seen.
function legend(finding) {
    const decides = Boolean(finding.trace.decision);
    const passes = decides && finding.trace.decision.passing.length > 0;
    const mark = (kind, words) => element("span", {}, element("span", { class: "swatch " + kind }), words);
    return element("div", { class: "legend" }, mark("run", "makes the step"), mark("blocked", "cannot go on"), mark("lock", "holds a lock"),
        element("span", {}, "* preemption"), decides ? element("span", {}, "! decisive step") : null, passes ? element("span", {}, "\u2260 first difference") : null,
        element("span", {}, keys(["\u2191", "\u2193"]), " step  ", keys(["Enter"]), " details  ", keys(["p", "P"]), " next and previous preemption  ",
            ...(decides ? [keys(["d"]), " decisive step"] : [])));
}

function keys(names) {
    const all = element("span", {});
    for (const name of names) all.append(element("kbd", {}, name), " ");
    return all;
}

function endOfDeadlock(reported) {
    if (!reported.waits) return null;
    const list = element("ul", {});
    for (const wait of reported.waits) {
        list.append(element("li", {}, wait.thread + " waits for " + (wait.object || "a thread") +
            (wait.blockers.length ? ", which " + wait.blockers.join(" and ") + (wait.object ? " holds" : " has to end") : "") + ", at " + wait.source));
    }
    return element("div", {}, element("h3", {}, "How it ended"), reported.cycle ? element("p", { class: "mono" }, reported.cycle) : null, list);
}

// Both accesses, next to each other where there is room.
function racePair(reported, finding) {
    if (!reported.race) return null;
    const pair = element("div", { class: "pair two" });
    for (const access of reported.race.accesses) {
        const box = element("div", { class: "panel access" }, element("p", {}, element("strong", {}, access.thread + " " + access.words)));
        if (access.source) box.append(element("p", {}, "at ", element("code", {}, access.source)));
        const block = sourceBlock((finding.trace.places || []).find((place) => plain(place.source) === access.source));
        if (block) box.append(block);
        if (access.instruction) box.append(element("p", { class: "soft" }, "instruction ", element("code", {}, access.instruction)));
        if (access.stack.length > 1) {
            const calls = element("ol", { class: "mono stack" });
            for (const call of access.stack) calls.append(element("li", {}, call));
            box.append(element("h5", {}, "calls, the innermost first"), calls);
        }
        pair.append(box);
    }
    const words = reported.race.side_by_side ? "The schedule below ends with both threads before their accesses: either can come first." :
        "Nothing orders the two in the schedule below; none was found that puts them next to each other.";
    return element("div", {}, element("h3", {}, "The two accesses to ", element("code", {}, reported.race.object)), pair,
        reported.race.allocation ? element("p", {}, "The memory is " + reported.race.allocation.words + ".") : null, element("p", {}, words));
}

function undisciplined(run) {
    if (!run.undisciplined) return null;
    const body = element("tbody");
    for (const race of run.undisciplined) {
        body.append(element("tr", {}, element("th", { scope: "row" }, element("code", {}, race.object)),
            ...race.accesses.map((access) => element("td", {}, access.thread + " " + access.words + (access.source ? ", at " + access.source : "")))));
    }
    return element("section", {}, element("h2", {}, "Accesses without a lock in common"),
        element("p", {}, "They were in order in every schedule that was watched, so they are no findings; claims rest on that order."),
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "accesses without a lock in common" },
            element("table", {}, element("thead", {}, element("tr", {}, ...["memory", "one access", "the other"].map((word) => element("th", { scope: "col" }, word)))), body)));
}

function storageSection(run) {
    if (!run.storage) return null;
    const body = element("tbody");
    for (const row of run.storage) {
        body.append(element("tr", {}, element("th", { scope: "row" }, element("code", {}, row.memory)), element("td", { class: row.class === "unprotected" ? "bad" : "" }, row.class),
            element("td", {}, row.locks.join(", ")), element("td", {}, row.threads.join(" ")), element("td", { class: "number" }, String(row.bytes))));
    }
    return element("section", {}, element("h2", {}, "Storage"), element("p", {}, "How the program uses its memory, as the watched schedules show it."),
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "storage" },
            element("table", {}, element("thead", {}, element("tr", {}, ...["memory", "class", "by", "threads", "bytes"].map((word) => element("th", { scope: "col" }, word)))), body)));
}

function findingSection(reported, finding, number) {
    const id = "f" + number;
    const section = element("section", { id, "aria-labelledby": id + "-title" });
    section.append(element("h2", { id: id + "-title" }, "Finding " + number + ": ", element("span", { class: "bad" }, reported.title)));
    const facts = reported.preemptions + (reported.preemptions === 1 ? " preemption" : " preemptions") +
        (reported.minimal ? ", the fewest that show it (proved)" : "") + ", " + reported.steps + " steps" + (reported.confirmed ? "" : ", predicted and not reached");
    const panel = element("div", { class: "panel" }, element("p", {}, facts));
    if (reported.place.line && !reported.race) {
        panel.append(element("p", {}, "In ", element("code", {}, reported.place.function), " at ", element("code", {}, reported.place.file + ":" + reported.place.line)));
        const place = (finding.trace.places || []).find((candidate) => candidate.line === reported.place.line && candidate.path === reported.place.path);
        const block = sourceBlock(place);
        if (block) panel.append(block);
    }
    if (reported.replay) panel.append(element("p", {}, "Replay: ", element("code", {}, reported.replay)));
    section.append(panel);
    const end = endOfDeadlock(reported);
    if (end) section.append(end);
    const race = racePair(reported, finding);
    if (race) section.append(race);
    section.append(element("h3", {}, "How it came about"), legend(finding), diagramPair(finding, id));
    if (reported.output) section.append(element("h3", {}, "Output of the program"), element("pre", { class: "source", tabindex: "0" }, reported.output));
    return section;
}

function diagramPair(finding, id) {
    const decision = finding.trace.decision;
    const decisive = decision ? decision.step - 1 : -1;
    const passing = passingSchedule(finding);
    const pair = element("div", { class: "pair" + (passing ? " two" : "") });
    const add = (schedule, kind, title) => {
        const diagram = new Diagram(schedule, {
            id: id + "-" + kind, title, decisive: kind === "step" ? decisive : -1, firstDifference: passing ? decisive : -1,
            functions: finding.words.functions, onselect: (own, i) => selected(own, i),
        });
        diagrams.set(diagram.options.id, diagram);
        const move = (words, key) => element("button", { type: "button", onclick: () => { diagram.rows.focus(); diagram.key({ key, preventDefault() {} }); } }, words);
        diagram.root.insertBefore(element("div", { class: "tools" }, move("Previous step", "ArrowUp"), move("Next step", "ArrowDown"), move("Next preemption", "p"),
            kind === "step" && decisive >= 0 ? move("Decisive step", "d") : null), diagram.root.children[1]);
        pair.append(diagram.root);
    };
    add(failingSchedule(finding), "step", "The failing schedule");
    if (passing) add(passing, "pass", "The nearest passing schedule, the same up to step " + decisive);
    return pair;
}

function selected(diagram, i) { history.replaceState(null, "", "#" + diagram.options.id + "-" + (i + 1)); }

// "#f1-step-12": the twelfth step of the first finding.
function follow(hash) {
    const parts = /^#(f\d+-(?:step|pass))-(\d+)$/.exec(hash);
    if (!parts || !diagrams.has(parts[1])) return;
    const diagram = diagrams.get(parts[1]);
    diagram.root.scrollIntoView();
    diagram.rows.focus({ preventScroll: true });
    diagram.select(Number(parts[2]) - 1, { quiet: true });
    if (diagram.selected >= 0) diagram.toggle(diagram.selected);
}

function coverageSection(run) {
    if (!run.coverage.length) return null;
    const covered = run.coverage.filter((task) => task.covered).length;
    const functions = [...new Set(run.coverage.map((task) => task.function))];
    const others = [...new Set(run.coverage.filter((task) => task.by).map((task) => task.by))];
    const cell = (test) => {
        const task = run.coverage.find(test);
        return element("td", { class: task && task.covered ? "good" : "soft" }, task ? (task.covered ? "yes" : "no") : "");
    };
    const body = element("tbody");
    for (const name of functions) {
        body.append(element("tr", {}, element("th", { scope: "row" }, element("code", {}, name)), cell((task) => task.function === name && !task.by && task.interrupted),
            cell((task) => task.function === name && !task.by && !task.interrupted), ...others.map((other) => cell((task) => task.function === name && task.by === other))));
    }
    const head = element("tr", {}, ...["function", "interrupted", "not interrupted"].concat(others.map((other) => "by " + other)).map((word) => element("th", { scope: "col" }, word)));
    return element("section", {}, element("h2", {}, "Coverage"),
        element("p", {}, covered + " of " + run.coverage.length + " tasks: functions interrupted or not, and by which others. Not all of them need be possible."),
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "coverage" }, element("table", { class: "coverage" }, element("thead", {}, head), body)));
}

function build() {
    header();
    const main = document.getElementById("main");
    if (data.report.runs.length > 1) main.append(summaryTable());
    let number = 0;
    data.report.runs.forEach((run, nth) => {
        const section = element("section", { id: "run" + (nth + 1) });
        if (data.report.runs.length > 1) section.append(element("h2", {}, run.name));
        section.append(runSummary(run));
        run.findings.forEach((reported, i) => {
            number += 1;
            section.append(findingSection(reported, data.findings[nth][i], number));
        });
        const plots = searchPlots(run);
        if (plots.children.length) section.append(element("section", { class: "search" }, element("h2", {}, "The search"), plots));
        for (const more of [undisciplined(run), storageSection(run), coverageSection(run)]) if (more) section.append(more);
        main.append(section);
    });
    for (const diagram of diagrams.values()) diagram.attach();
    window.addEventListener("hashchange", () => follow(location.hash));
    window.addEventListener("resize", () => diagrams.forEach((diagram) => diagram.attach()));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => diagrams.forEach((diagram) => diagram.paintOverview()));
    follow(location.hash);
}

build();
