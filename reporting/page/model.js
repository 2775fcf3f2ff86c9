// What the trace says about every thread at every step: who runs, who is blocked, who holds what.

// In traces a backslash is written twice.
function plain(text) { return text === undefined ? "" : text.replace(/\\\\/g, "\\"); }

function placeOf(source) { return source ? plain(source.slice(source.lastIndexOf(" ") + 1)) : ""; }

// Where a step is in the program's own source; the library's own lines tell nobody anything.
function ownPlace(step) {
    if (step.operation === "thread-exit" || step.operation === "thread-start" || !step.source) return "";
    return /^_*(GI_+)?exit /.test(step.source) ? "" : placeOf(step.source);
}

// T0, T0.1, T0.2, T0.10: by the numbers in their names.
function byNumbers(left, right) {
    const some = left.slice(1).split(".").map(Number), others = right.slice(1).split(".").map(Number);
    for (let i = 0; i < Math.min(some.length, others.length); ++i) if (some[i] !== others[i]) return some[i] - others[i];
    return some.length - others.length;
}

class Schedule {
    // `waits`: what threads wait for at the end, as [thread, words, wait].
    constructor(trace, steps, words, waits) {
        this.trace = trace;
        this.steps = steps;
        this.words = words;
        this.waits = waits;
        this.threads = [];
        this.index = new Map();
        const names = new Set(steps.map((step) => step.thread).concat(waits.map((wait) => wait.wait.thread)));
        for (const name of [...names].sort(byNumbers)) this.thread(name);
        const count = steps.length;
        this.born = this.threads.map(() => count);
        this.ended = this.threads.map(() => count + 1);
        this.blocked = this.threads.map(() => new Uint8Array(count + 1));
        this.bars = this.threads.map(() => []);
        this.preemptions = [];
        this.follow();
    }

    thread(name) {
        if (!this.index.has(name)) {
            this.index.set(name, this.threads.length);
            this.threads.push(name);
        }
        return this.index.get(name);
    }

    follow() {
        const blocked = new Set();
        const held = this.threads.map(() => new Map());
        this.steps.forEach((step, i) => {
            const own = this.index.get(step.thread);
            if (this.born[own] > i) this.born[own] = i;
            if (step.target !== undefined && step.operation === "thread-create" && this.index.has(step.target)) {
                this.born[this.index.get(step.target)] = i + 1;
            }
            if (step.operation === "thread-exit") this.ended[own] = i + 1;
            if (step.switch === "preemption") this.preemptions.push(i);
            blocked.delete(own);
            for (const other of blocked) this.blocked[other][i] = 1;
            for (const name of step.blocks || []) if (this.index.has(name)) blocked.add(this.index.get(name));
            for (const name of step.frees || []) blocked.delete(this.index.get(name));
            for (const object of step.gives || []) {
                const bar = held[own].get(object);
                if (bar) { bar.to = i; held[own].delete(object); }
            }
            for (const object of step.takes || []) {
                const used = new Set([...held[own].values()].map((bar) => bar.slot));
                let slot = 0;
                while (used.has(slot)) slot += 1;
                const bar = { object, from: i, to: Infinity, slot };
                held[own].set(object, bar);
                this.bars[own].push(bar);
            }
        });
        for (const other of blocked) this.blocked[other][this.steps.length] = 1;
        this.slots = this.bars.map((bars) => bars.reduce((most, bar) => Math.max(most, bar.slot + 1), 0));
    }

    label(object) {
        const labels = this.trace.labels || {};
        return plain(labels[object] !== undefined ? labels[object] : object);
    }

    heldAt(thread, i) {
        return this.bars[thread].filter((bar) => bar.from <= i && i <= bar.to);
    }

    // "step 4, T0.1, lock a.mutex, bank.cpp:14, by a preemption"
    sentence(i) {
        if (i >= this.steps.length) {
            const wait = this.waits[i - this.steps.length];
            return "at the end " + wait.wait.thread + (wait.accesses ? " is about to: " : " waits: ") + wait.words;
        }
        const step = this.steps[i];
        let text = "step " + (i + 1) + ", " + step.thread + ", " + this.words[i];
        if (ownPlace(step)) text += ", " + ownPlace(step);
        if (step.switch === "preemption") text += ", by a preemption";
        return text;
    }
}

function failingSchedule(finding) {
    const waits = (finding.trace.finding.waits || []).map((wait, i) => ({ wait, words: finding.words.waits[i] }));
    // Of a race: both threads are about to make their accesses.
    const race = finding.trace.finding.race;
    if (race && !race.apart) {
        [race.first, race.second].forEach((wait, i) => waits.push({ wait, words: finding.words.accesses[i], accesses: true }));
    }
    return new Schedule(finding.trace, finding.trace.steps, finding.words.steps, waits);
}

function passingSchedule(finding) {
    const decision = finding.trace.decision;
    if (!decision || !decision.passing.length) return null;
    const common = decision.step - 1;
    const steps = finding.trace.steps.slice(0, common).concat(decision.passing);
    const words = finding.words.steps.slice(0, common).concat(finding.words.passing);
    return new Schedule(finding.trace, steps, words, []);
}
