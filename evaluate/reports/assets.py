"""The style and the script inside every report page."""

from __future__ import annotations

STYLE = """
:root { --paper: #fbfaf7; --card: #ffffff; --ink: #22262d; --dim: #6b7280; --line: #dedad1;
  --good: #185ea8; --bad: #d66a10; --screen: #f3f1ea; --accent: #185ea8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181d; --card: #1d2128; --ink: #e7e5df; --dim: #9aa1ac; --line: #343a44;
    --good: #3f8fe0; --bad: #e08436; --screen: #101317; --accent: #6cb0f5; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 28px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 1.15rem; margin: 0 0 4px; }
.lead, .note { color: var(--dim); margin: 0 0 12px; max-width: 75ch; }
.note { font-size: .92rem; }
nav { display: flex; flex-wrap: wrap; gap: 6px 16px; margin: 12px 0 4px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 20px; margin: 16px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: 5px 10px; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 600; }
.word { text-align: left; }
.long { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 32ch; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--card);
  padding-left: 0; }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: color-mix(in srgb, var(--accent) 8%, transparent); }
svg { display: block; width: 100%; height: auto; font-size: 13.5px; }
svg text { fill: var(--ink); }
svg .dim { fill: var(--dim); }
svg .mid { text-anchor: middle; }
svg .on { fill: #fff; }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .cell { cursor: default; outline: none; }
svg .cell:hover rect, svg .cell:focus rect { stroke: var(--ink); stroke-width: 1.5; }
svg .grid { stroke: var(--line); }
svg .zero { stroke: var(--dim); }
svg .range { stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; }
svg .dot { fill: var(--accent); }
img { max-width: 100%; height: auto; background: #fff; border-radius: 6px; }
.tip { min-height: 1.5em; margin: 8px 0 0; color: var(--dim); font-size: .92rem; }
pre { margin: 0; font: 13.5px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.code, .frame { background: var(--screen); border: 1px solid var(--line); border-radius: 8px;
  padding: 12px 14px; }
.code { white-space: pre-wrap; overflow-wrap: anywhere; }
.frame { min-width: max-content; }
.choose, .steps { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center;
  margin-bottom: 10px; }
.choose label { color: var(--dim); font-size: .92rem; max-width: 100%; }
select, button { font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 7px; padding: 5px 10px; max-width: 100%; }
button { min-width: 44px; min-height: 38px; cursor: pointer; }
button:hover { border-color: var(--accent); }
.steps { gap: 6px; }
.moment { flex: 1 1 160px; accent-color: var(--accent); }
.caption { margin: 0 0 8px; font-weight: 600; }
.result { margin: 10px 0 0; color: var(--dim); }
.c1 { font-weight: 700; } .c2 { opacity: .65; } .c4 { text-decoration: underline; }
.c30, .c90 { color: var(--dim); } .c31, .c91 { color: #c8402f; } .c32, .c92 { color: #2c8a4b; }
.c33, .c93 { color: #a87408; } .c34, .c94 { color: #2a6fc0; } .c35, .c95 { color: #9a4fb0; }
.c36, .c96 { color: #14808a; } .c37, .c97 { color: var(--ink); }
@media (prefers-color-scheme: dark) {
  .c31, .c91 { color: #ff8a78; } .c32, .c92 { color: #74d694; } .c33, .c93 { color: #e6b95a; }
  .c34, .c94 { color: #7db8ff; } .c35, .c95 { color: #d59be8; } .c36, .c96 { color: #6fd3dc; } }
@media (max-width: 600px) { header, main { padding: 0 10px; } header { padding-top: 16px; }
  section { padding: 14px 12px; } h1 { font-size: 1.35rem; } pre { font-size: 12px; } }
"""

SCRIPT = """
"use strict";
for (const map of document.querySelectorAll(".map")) {
  const tip = map.querySelector(".tip");
  for (const kind of ["mouseover", "focusin", "click"])
    map.addEventListener(kind, event => {
      const cell = event.target.closest(".cell");
      if (cell) tip.textContent = cell.dataset.tip;
    });
}

// Text with a terminal's colour codes as elements; never as HTML.
function paint(target, text) {
  target.textContent = "";
  let codes = [];
  text.split(/(\\u001b\\[[0-9;]*m)/).forEach(part => {
    const found = /^\\u001b\\[([0-9;]*)m$/.exec(part);
    if (found) {
      for (const code of found[1].split(";").map(Number))
        codes = code === 0 ? [] : codes.concat(code);
    } else if (part) {
      const span = document.createElement("span");
      span.className = codes.map(code => "c" + code).join(" ");
      span.textContent = part;
      target.append(span);
    }
  });
}

for (const box of document.querySelectorAll(".replay")) {
  const data = JSON.parse(box.querySelector('script[type="application/json"]').textContent);
  const find = name => box.querySelector("." + name);
  const games = find("game"), views = find("view"), slider = find("moment");
  const player = box.querySelector('[data-step="play"]');
  let moment = 0, timer = null;
  const game = () => data.games[Number(games.value) || 0];
  const last = () => game().captions.length - 1;

  const groups = new Map();
  data.games.forEach((one, number) => {
    if (!groups.has(one.group)) {
      const group = document.createElement("optgroup");
      group.label = one.group;
      groups.set(one.group, group);
      games.append(group);
    }
    groups.get(one.group).append(new Option(one.title, number));
  });

  function show() {
    moment = Math.max(0, Math.min(last(), moment));
    const view = game().views[Math.max(0, views.selectedIndex)];
    paint(find("frame"), view.frames[moment].map(line => data.lines[line]).join("\\n"));
    find("caption").textContent = game().captions[moment];
    find("result").textContent = game().result;
    slider.max = last();
    slider.value = moment;
    if (moment === last()) stop();
  }
  function choose() {
    const before = views.selectedIndex;
    views.replaceChildren(...game().views.map(view => new Option(view.name)));
    views.selectedIndex = before > 0 && before < game().views.length ? before : 0;
    moment = 0;
    show();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    player.textContent = "play";
  }
  const steps = {
    first: () => { moment = 0; },
    back: () => { moment -= 1; },
    next: () => { moment += 1; },
    last: () => { moment = last(); },
    play: () => {
      if (timer) return stop();
      if (moment === last()) moment = 0;
      player.textContent = "pause";
      timer = setInterval(() => { moment += 1; show(); }, 900);
    },
  };
  box.addEventListener("click", event => {
    const button = event.target.closest("[data-step]");
    if (!button) return;
    if (button !== player) stop();
    steps[button.dataset.step]();
    show();
  });
  slider.addEventListener("input", () => { stop(); moment = Number(slider.value); show(); });
  games.addEventListener("change", () => { stop(); choose(); });
  views.addEventListener("change", show);
  document.addEventListener("keydown", event => {
    if (event.target.matches("input, select, textarea") || event.altKey || event.ctrlKey ||
        event.metaKey) return;
    const step = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    const seen = box.getBoundingClientRect();
    if (!step || seen.bottom < 0 || seen.top > innerHeight) return;  // only what is looked at
    event.preventDefault();
    stop();
    steps[step]();
    show();
  });
  choose();
}
"""
