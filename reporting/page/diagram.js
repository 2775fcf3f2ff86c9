// A schedule as lanes, one for each thread, time downwards. Only the rows that can be seen exist, so that ten
// thousand steps cost no more than fifty.

const ROW = 24;   // the heights in style.css
const HEAD = 30;

function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name === "class") made.className = value;
        else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else if (value !== undefined && value !== null) made.setAttribute(name, value);
    }
    for (const child of children) if (child !== null && child !== undefined) made.append(child);
    return made;
}

class Diagram {
    // options: id (for links), title, decisive (index or -1), firstDifference (index or -1), functions, onselect
    constructor(schedule, options) {
        this.schedule = schedule;
        this.options = options;
        this.selected = -1;
        this.expanded = -1;
        this.detailsHeight = 0;
        this.count = schedule.steps.length + schedule.waits.length;
        this.sizer = element("div", { class: "sizer", role: "presentation" });
        this.rows = element("div", {
            class: "rows", tabindex: "0", role: "grid", "aria-label": options.title,
            "aria-rowcount": this.count, onscroll: () => this.schedulePaint(), onkeydown: (event) => this.key(event),
        });
        this.rows.style.setProperty("--lanes", schedule.threads.length);
        this.overview = element("canvas", { class: "overview", "aria-hidden": "true", onclick: (event) => this.jump(event) });
        const heads = element("div", { class: "heads", "aria-hidden": "true" }, element("div", { class: "first" }, "step"));
        for (const thread of schedule.threads) {
            const function_ = options.functions[thread];
            heads.append(element("div", { title: thread + " " + (function_ || "") },
                thread + (function_ ? " " + function_ : "")));
        }
        this.rows.append(heads, this.sizer);
        this.root = element("div", { class: "pane" }, element("h4", {}, options.title), this.overview,
            element("div", { class: "diagram" }, this.rows));
    }

    attach() {
        this.layout();
        this.paint();
        this.paintOverview();
    }

    layout() { this.sizer.style.height = this.count * ROW + this.detailsHeight + "px"; }

    top(i) { return i * ROW + (this.expanded >= 0 && i > this.expanded ? this.detailsHeight : 0); }

    schedulePaint() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => { this.pending = false; this.paint(); });
    }

    paint() {
        const from = this.rows.scrollTop;
        const to = from + Math.max(this.rows.clientHeight, 200);
        const shift = this.expanded >= 0 ? this.detailsHeight : 0;
        const first = Math.max(0, Math.floor((from - shift) / ROW) - 10);
        const last = Math.min(this.count - 1, Math.ceil(to / ROW) + 10);
        const made = [];
        for (let i = first; i <= last; ++i) {
            made.push(this.row(i));
            if (i === this.expanded) made.push(this.details(i));
        }
        this.sizer.replaceChildren(...made);
        const details = this.sizer.querySelector(".details");
        if (details && this.detailsHeight === 0) {
            this.detailsHeight = Math.min(details.scrollHeight + 4, 420);
            this.layout();
            this.paint();
        }
    }

    row(i) {
        const schedule = this.schedule;
        const isWait = i >= schedule.steps.length;
        const step = isWait ? schedule.waits[i - schedule.steps.length].wait : schedule.steps[i];
        const own = schedule.index.get(step.thread);
        const classes = ["row"];
        if (i === this.selected) classes.push("selected");
        if (i === this.options.firstDifference) classes.push("differs");
        if (this.options.firstDifference > i) classes.push("common");
        const marks = isWait ? "" :
            (step.switch === "preemption" ? "*" : "") + (i === this.options.decisive ? "!" : "");
        const row = element("div", {
            class: classes.join(" "), role: "row", id: this.options.id + "-" + (i + 1), "aria-rowindex": i + 1,
            "aria-selected": i === this.selected, "aria-expanded": i === this.expanded,
            "aria-label": schedule.sentence(i) + (i === this.options.decisive ? ", the decisive step" : "") +
                (i === this.options.firstDifference ? ", the first difference" : ""),
            onclick: () => { this.rows.focus({ preventScroll: true }); this.select(i); this.toggle(i); },
        }, element("div", { class: "number", role: "rowheader" },
            element("span", { class: "mark" }, marks), isWait ? "end" : String(i + 1)));
        schedule.threads.forEach((name, thread) => row.append(this.lane(i, thread, own, isWait)));
        if (!isWait && i > 0) {
            const before = schedule.index.get(schedule.steps[i - 1].thread);
            if (before !== own) row.append(this.turn(before, own, step.switch));
        }
        row.style.top = this.top(i) + "px";
        return row;
    }

    lane(i, thread, own, isWait) {
        const schedule = this.schedule;
        const at = Math.min(i, schedule.steps.length);
        const lane = element("div", { class: "lane", role: "gridcell" });
        if (i < schedule.born[thread] || i >= schedule.ended[thread]) lane.classList.add("none");
        if (schedule.blocked[thread][at]) {
            lane.classList.add("blocked");
            lane.title = schedule.threads[thread] + " cannot go on";
        }
        for (const bar of schedule.heldAt(thread, isWait ? schedule.steps.length : i)) {
            const mark = element("span", { class: "bar c" + bar.slot % 4, title: "holds " + schedule.label(bar.object) });
            mark.style.left = 3 + bar.slot * 6 + "px";
            lane.append(mark);
        }
        if (thread === own) {
            lane.classList.add(isWait ? "waits" : "runs");
            const place = isWait ? placeOf(schedule.waits[i - schedule.steps.length].wait.source) : ownPlace(schedule.steps[i]);
            const words = isWait ? this.waitWords(schedule.waits[i - schedule.steps.length]) : schedule.words[i];
            lane.style.paddingLeft = 8 + Math.min(schedule.slots[thread], 8) * 6 + "px";
            lane.title = words + (place ? "  " + place : "");
            lane.append(element("span", { class: "words" }, words), element("span", { class: "place" }, place));
        }
        return lane;
    }

    waitWords(entry) {
        const wait = entry.wait;
        if (entry.accesses) return "next: " + entry.words;
        return "waits: " + (wait.object ? this.schedule.label(wait.object) : wait.target || entry.words);
    }

    // The line from the lane that was left to the one that goes on.
    turn(before, own, kind) {
        const lanes = this.schedule.threads.length;
        const line = element("span", { class: "turn" + (kind === "preemption" ? " preemption" : "") });
        const part = (100 / lanes);
        const left = (Math.min(before, own) + 0.5) * part;
        const width = Math.abs(before - own) * part;
        line.style.left = "calc(84px + (100% - 84px) * " + left / 100 + ")";
        line.style.width = "calc((100% - 84px) * " + width / 100 + ")";
        return line;
    }

    details(i) {
        const box = element("div", { class: "details", role: "row", "aria-label": "details of step " + (i + 1) });
        const cell = element("div", { role: "gridcell" });
        box.append(cell);
        box.style.top = i * ROW + ROW + "px";
        if (this.detailsHeight) box.style.height = this.detailsHeight + "px";
        cell.append(...stepDetails(this.schedule, i));
        return box;
    }

    select(i, options) {
        if (i < 0 || i >= this.count) return;
        this.selected = i;
        if (this.expanded >= 0 && this.expanded !== i) this.collapse();
        const top = this.top(i);
        if (top < this.rows.scrollTop + ROW) this.rows.scrollTop = Math.max(0, top - ROW * 3);
        else if (top + HEAD + ROW * 2 > this.rows.scrollTop + this.rows.clientHeight) {
            this.rows.scrollTop = top + HEAD + ROW * 4 - this.rows.clientHeight;
        }
        this.paint();
        this.rows.setAttribute("aria-activedescendant", this.options.id + "-" + (i + 1));
        this.paintOverview();
        if (!options || !options.quiet) this.options.onselect(this, i);
    }

    collapse() { this.expanded = -1; this.detailsHeight = 0; this.layout(); }

    toggle(i) {
        if (this.expanded === i) this.collapse();
        else { this.expanded = i; this.detailsHeight = 0; }
        this.paint();
    }

    key(event) {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const page = Math.max(1, Math.floor(this.rows.clientHeight / ROW) - 2);
        const at = this.selected;
        const moves = {
            ArrowDown: at + 1, j: at + 1, ArrowUp: Math.max(at - 1, 0), k: Math.max(at - 1, 0), Home: 0, End: this.count - 1,
            PageDown: Math.min(at + page, this.count - 1), PageUp: Math.max(at - page, 0),
            p: this.schedule.preemptions.find((i) => i > at),
            P: this.schedule.preemptions.filter((i) => i < at).pop(),
            d: this.options.decisive >= 0 ? this.options.decisive : undefined,
        };
        if (event.key === "Enter" || event.key === " ") {
            if (at >= 0) this.toggle(at);
        } else if (event.key === "Escape") {
            this.collapse();
            this.paint();
        } else if (event.key in moves) {
            if (moves[event.key] !== undefined) this.select(moves[event.key]);
        } else {
            return;
        }
        event.preventDefault();
    }

    jump(event) {
        const box = this.overview.getBoundingClientRect();
        const i = Math.floor((event.clientX - box.left) / box.width * this.count);
        this.rows.focus({ preventScroll: true });
        this.select(Math.max(0, Math.min(i, this.count - 1)));
    }

    // The whole schedule in one strip, time to the right.
    paintOverview() {
        const schedule = this.schedule;
        const lane = Math.max(6, Math.min(16, Math.floor(160 / schedule.threads.length)));
        const ratio = window.devicePixelRatio || 1;
        const width = this.overview.clientWidth || 600;
        const height = lane * schedule.threads.length + 8;
        this.overview.style.height = height + "px";
        this.overview.width = width * ratio;
        this.overview.height = height * ratio;
        const brush = this.overview.getContext("2d");
        brush.scale(ratio, ratio);
        const style = getComputedStyle(document.documentElement);
        const color = (name) => style.getPropertyValue(name).trim();
        const x = (i) => i / this.count * width;
        const unit = Math.max(width / this.count, 1);
        schedule.steps.forEach((step, i) => {
            schedule.threads.forEach((name, thread) => {
                if (!schedule.blocked[thread][i]) return;
                brush.fillStyle = color("--blocked");
                brush.fillRect(x(i), 4 + thread * lane + lane * 0.35, unit, lane * 0.3);
            });
            brush.fillStyle = color("--run-line");
            brush.fillRect(x(i), 4 + schedule.index.get(step.thread) * lane + 1, unit, lane - 2);
        });
        brush.fillStyle = color("--warn");
        for (const i of schedule.preemptions) brush.fillRect(x(i) - 1, 0, 2, 4);
        if (this.selected >= 0) {
            brush.strokeStyle = color("--text");
            brush.lineWidth = 2;
            brush.strokeRect(x(this.selected) - 1, 1, unit + 2, height - 2);
        }
    }
}

function sourceBlock(place) {
    if (!place || !place.lines) return null;
    const block = element("pre", { class: "source", tabindex: "0", "aria-label": "source of " + placeOf(place.source) });
    place.lines.forEach((line, i) => {
        const number = place.first_line + i;
        const here = number === place.line;
        block.append(element("span", here ? { class: "here" } : {}, (here ? "> " : "  ") + String(number).padStart(4) + "  " + plain(line)));
    });
    return block;
}

function findPlace(trace, source) { return (trace.places || []).find((place) => place.source === source); }

// What is shown below a step: where it is, the calls, who holds what, who waits.
function stepDetails(schedule, i) {
    const trace = schedule.trace;
    const isWait = i >= schedule.steps.length;
    const step = isWait ? schedule.waits[i - schedule.steps.length].wait : schedule.steps[i];
    const made = [element("p", {}, schedule.sentence(i) + (step.result ? ", returned " + step.result : ""))];
    const stack = step.stack ? trace.stacks[step.stack - 1] : [];
    const source = stack.length ? stack[0] : step.source;
    const block = sourceBlock(findPlace(trace, source));
    if (block) made.push(block);
    if (stack.length) {
        const calls = element("ol", { class: "mono stack" });
        for (const call of stack) calls.append(element("li", {}, plain(call)));
        made.push(element("h5", {}, "calls, the innermost first"), calls);
    } else if (step.source) {
        made.push(element("p", { class: "mono" }, plain(step.source)));
    }
    const state = element("ul", {});
    schedule.threads.forEach((name, thread) => {
        const held = schedule.heldAt(thread, i).filter((bar) => bar.to > i).map((bar) => schedule.label(bar.object));
        const blocked = schedule.blocked[thread][Math.min(i, schedule.steps.length)];
        if (!held.length && !blocked) return;
        state.append(element("li", {}, name + (held.length ? " holds " + held.join(", ") : "") +
            (held.length && blocked ? " and" : "") + (blocked ? " cannot go on" : "")));
    });
    if (state.children.length) made.push(element("h5", {}, "threads at this point"), state);
    return made;
}
