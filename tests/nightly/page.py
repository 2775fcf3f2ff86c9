"""The page of a night: what went wrong first, then every figure against the nights before."""
import html

STYLE = """
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1a1a19; --soft: #5f5e5b; --line: #dddcd8; --plot: #2a78d6; --bad: #c23b37;
  --good: #0f7a57; --warn: #9a6200; --card: #f4f3f0; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --ink: #ececea; --soft: #a3a29d; --line: #3a3a38; --plot: #5ea3ee;
  --bad: #ee7b76; --good: #4fc49a; --warn: #e0b05a; --card: #242423; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .soft { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
.verdict { font-size: 1.15rem; font-weight: 600; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .8rem; }
.figure { background: var(--card); border-radius: 6px; padding: .6rem .8rem; border: 1px solid transparent; }
.figure.bad { border-color: var(--bad); color: inherit; }
.figure b { font-size: 1.15rem; font-variant-numeric: tabular-nums; } .figure .name { display: block; min-height: 3em; }
svg { display: block; width: 100%; height: 56px; overflow: visible; }
svg path { fill: none; stroke: var(--plot); stroke-width: 2; } svg circle { fill: var(--plot); }
svg circle.last { stroke: var(--card); stroke-width: 2; } .figure.bad circle.last { fill: var(--bad); }
svg line { stroke: var(--line); } svg text { fill: var(--soft); font-size: 10px; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); padding: .6rem .8rem; border-radius: 6px; font-size: 13px; }
details summary { cursor: pointer; }
"""


def short(value):
    """A number as one reads it."""
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def plot(points):
    """A line over the nights, the last one marked; points are (night, value or nothing)."""
    known = [(index, night, value) for index, (night, value) in enumerate(points) if value is not None]
    if not known:
        return ""
    width, height, top, bottom = 240, 56, 6, 14
    low = min(value for _, _, value in known)
    high = max(value for _, _, value in known)
    if low == high:
        low, high = low - 1, high + 1

    def x(index):
        return 4 + (width - 50) * (index / (len(points) - 1) if len(points) > 1 else 1)

    def y(value):
        return top + (height - top - bottom) * (1 - (value - low) / (high - low))

    path = " ".join(f"{'M' if nth == 0 else 'L'}{x(index):.1f} {y(value):.1f}" for nth, (index, _, value) in enumerate(known))
    dots = "".join(
        f'<circle cx="{x(index):.1f}" cy="{y(value):.1f}" r="{4 if nth == len(known) - 1 else 2.2}"'
        f'{" class=last" if nth == len(known) - 1 else ""}><title>{html.escape(night)}: {short(value)}</title></circle>'
        for nth, (index, night, value) in enumerate(known))
    labels = f'<text x="{width - 38}" y="{top + 4}">{short(max(v for _, _, v in known))}</text>'
    if len({value for _, _, value in known}) > 1:
        labels += f'<text x="{width - 38}" y="{height - bottom + 2}">{short(min(v for _, _, v in known))}</text>'
    base = f'<line x1="0" x2="{width - 44}" y1="{height - bottom + 4}" y2="{height - bottom + 4}"/>'
    dates = f'<text x="0" y="{height}">{html.escape(known[0][1][:10])}</text>' if len(known) > 1 else ""
    return (f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="over the nights">{base}<path d="{path}"/>{dots}{labels}{dates}'
            "</svg>")


STATUS = {"passed": ("good", "passed"), "failed": ("bad", "FAILED"), "cut": ("warn", "time was over"),
          "left out": ("soft", "left out"), "waiting": ("warn", "not run")}


def figure_card(name, figure, points, is_bad):
    before = figure.get("before")
    compared = f' <span class="soft">before: {short(before)}</span>' if before is not None else ""
    return (f'<div class="figure{" bad" if is_bad else ""}"><span class="name">{html.escape(name)}</span>'
            f'<b>{short(figure["value"])}</b> <span class="soft">{html.escape(figure["unit"])}</span>{compared}{plot(points)}</div>')


def render(report, history):
    """`history`: the nights before and this one, in order."""
    nights = history[-60:]
    regressed = {entry["figure"] for entry in report["regressions"]}
    out = ['<!doctype html><html lang="en"><head><meta charset="utf-8">',
           '<meta name="viewport" content="width=device-width, initial-scale=1"><title>coopcheck: ' + html.escape(report["night"]) + "</title>",
           f"<style>{STYLE}</style></head><body>",
           f'<h1>coopcheck, the night of {html.escape(report["night"])}</h1>',
           f'<p class="soft">{html.escape(report["machine"])} &middot; commit {html.escape(report["commit"])} &middot; seed {report["seed"]} '
           f'&middot; {short(report["seconds"])} s of {short(report["seconds_given"])} s</p>',
           f'<p class="verdict {"good" if report["exit_code"] == 0 else "warn" if report["exit_code"] == 3 else "bad"}">'
           f'{html.escape(report["verdict"])}</p>']
    failed = [part for part in report["parts"] if part["status"] == "failed"]
    if report["regressions"] or failed:
        out.append("<h2>What is worse</h2><ul>")
        for part in failed:
            out.append(f'<li class="bad">{html.escape(part["title"])}: failed ({html.escape(part["why"])})</li>')
        for entry in report["regressions"]:
            out.append(f'<li class="bad">{html.escape(entry["figure"])}: {short(entry["value"])} {html.escape(entry["unit"])}, '
                       f'before {short(entry["before"])}</li>')
        out.append("</ul>")
    out.append('<h2>Parts</h2><table><tr><th>part</th><th>result</th><th class="number">seconds</th><th></th></tr>')
    for part in report["parts"]:
        css, words = STATUS[part["status"]]
        out.append(f'<tr><td>{html.escape(part["title"])}</td><td class="{css}">{words}</td>'
                   f'<td class="number">{short(round(part["seconds"]))}</td><td class="soft">{html.escape(part["why"])}</td></tr>')
    out.append("</table>")
    for part in report["parts"]:
        names = [name for name in report["figures"] if report["figures"][name]["part"] == part["name"]]
        if not names and part["status"] != "failed":
            continue
        out.append(f'<h2>{html.escape(part["title"])}</h2>')
        if part["status"] == "failed" and part["tail"]:
            out.append(f'<details open><summary>the end of its log</summary><pre>{html.escape(part["tail"])}</pre></details>')
        out.append('<div class="figures">')
        for name in names:
            points = [(night["night"], night["figures"].get(name)) for night in nights]
            out.append(figure_card(name.split(": ", 1)[1], report["figures"][name], points, name in regressed))
        out.append("</div>")
    out.append(f'<p class="soft">{len(nights)} night{"s" if len(nights) != 1 else ""} in the plots. "Before" is the median of the ten nights '
               "before this one.</p></body></html>")
    return "\n".join(out)
