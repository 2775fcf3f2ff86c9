// The search itself, in small plots. Each has its numbers in words for those who do not see it.

function svg(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    for (const child of children) made.append(child);
    return made;
}

function shortNumber(number) {
    if (number >= 1e6) return (number / 1e6).toPrecision(3) + "M";
    if (number >= 1e4) return (number / 1e3).toPrecision(3) + "k";
    return String(Math.round(number * 10) / 10);
}

function figure(title, words, picture) {
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", title + ": " + words);
    return element("figure", {}, picture, element("figcaption", {}, title));
}

const WIDE = 360, HIGH = 180, LEFT = 48, BOTTOM = 24;

function frame() {
    return svg("svg", { width: WIDE, height: HIGH, viewBox: "0 0 " + WIDE + " " + HIGH },
        svg("path", { class: "axis", d: "M" + LEFT + " 8V" + (HIGH - BOTTOM) + "H" + (WIDE - 4) }));
}

function textAt(x, y, words, anchor) {
    return svg("text", { x, y, "text-anchor": anchor || "middle" }, document.createTextNode(words));
}

function barPlot(title, entries) {
    const picture = frame();
    const most = Math.max(1, ...entries.map((entry) => entry.value));
    const room = (WIDE - LEFT - 8) / entries.length;
    entries.forEach((entry, i) => {
        const height = (HIGH - BOTTOM - 24) * entry.value / most;
        const x = LEFT + 4 + room * i;
        picture.append(svg("rect", { class: "data", x: x + room * 0.1, y: HIGH - BOTTOM - height, width: room * 0.8, height }),
            textAt(x + room / 2, HIGH - 8, entry.name), textAt(x + room / 2, HIGH - BOTTOM - height - 4, entry.label || shortNumber(entry.value)));
    });
    return figure(title, entries.map((entry) => entry.name + ": " + (entry.label || entry.value)).join(", "), picture);
}

function linePlot(title, points, unit) {
    const picture = frame();
    const lastX = points[points.length - 1].x || 1;
    const most = Math.max(1e-9, ...points.map((point) => point.y));
    const x = (value) => LEFT + value / lastX * (WIDE - LEFT - 12);
    const y = (value) => HIGH - BOTTOM - value / most * (HIGH - BOTTOM - 16);
    picture.append(svg("path", { class: "data", d: points.map((point, i) => (i ? "L" : "M") + x(point.x).toFixed(1) + " " + y(point.y).toFixed(1)).join("") }),
        textAt(LEFT - 4, 16, shortNumber(most), "end"), textAt(LEFT - 4, HIGH - BOTTOM, "0", "end"),
        textAt(WIDE - 8, HIGH - 8, shortNumber(lastX) + " s", "end"));
    const last = points[points.length - 1];
    return figure(title, "from " + shortNumber(points[0].y) + " to " + shortNumber(last.y) + " " + unit + " after " + shortNumber(lastX) + " s", picture);
}

// What can be read as a number is one.
function powerOfTen(exponent) { return exponent < 5 ? "about " + Math.round(10 ** exponent) : "10^" + exponent.toFixed(1); }

function searchPlots(run) {
    const plots = element("div", { class: "plots" });
    if (run.paths_at_bound.length) {
        plots.append(barPlot("schedules first run at each number of preemptions", run.paths_at_bound.map((value, i) => ({ name: String(i), value }))));
    }
    const progress = run.progress;
    if (progress.length > 1) {
        plots.append(linePlot("schedules over time", progress.map((sample) => ({ x: sample.seconds, y: sample.schedules })), "schedules"));
        const rates = [];
        for (let i = 1; i < progress.length; ++i) {
            const took = progress[i].seconds - progress[i - 1].seconds;
            if (took > 0) rates.push({ x: progress[i].seconds, y: (progress[i].schedules - progress[i - 1].schedules) / took });
        }
        if (rates.length > 1) plots.append(linePlot("schedules per second over time", rates, "schedules per second"));
    }
    if (run.estimates.length) {
        plots.append(barPlot("estimated number of schedules by bound (Knuth, before pruning; powers of ten)",
            run.estimates.map((estimate) => ({ name: String(estimate.bound), value: Math.max(0, estimate.log10_schedules), label: powerOfTen(estimate.log10_schedules) }))));
    }
    return plots;
}
