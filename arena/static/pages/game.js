/**
 * A game that is played or watched.
 *
 * @module
 */

import { adviceTable, bar } from "../advice.js";
import { api, listen } from "../api.js";
import { loadBoard, pageKey } from "../board.js";
import { h, notice, put, sentence, signed } from "../dom.js";

const PATIENCE = 300; // milliseconds before a thinking bot is mentioned
const PACES = [["fast", 0.2], ["1 s", 1], ["2 s", 2], ["5 s", 5]];

/** @type {import("../app.js").Page} */
export async function gamePage(element, key) {
  let table = await api(`tables/${key}`);
  document.title = `${table.title} · bidarena`;
  const boardPlace = h("div", { class: "board-place" });
  const players = h("ul", { class: "players" });
  const line = h("p", { class: "line", role: "status" });
  const controls = h("p", { class: "actions" });
  const extra = h("div", {});
  const log = h("ol", { class: "log", "aria-label": "what has happened" });
  put(
    element,
    h(
      "div",
      { class: "play" },
      h("section", { class: "stage-column" }, boardPlace),
      h("aside", { class: "side" }, h("h1", {}, table.title), players, line, controls, extra, h("section", { class: "panel log-panel" }, log)),
    ),
  );
  const board = await loadBoard(boardPlace, table.board, (action) => void move(action));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let patience;
  let hinted = -1;
  let sent = -1; // the number of moves at which a move is on its way

  /** @param {any} told */
  function draw(told) {
    if (told.version < table.version) return;
    table = told;
    const watching = table.you === null;
    put(players, ...table.players.map((/** @type {string} */ label, /** @type {number} */ seat) =>
      h("li", { class: `side${table.teams[seat] % 2}`, "aria-current": table.mover === seat ? "true" : null }, h("i", {}), label === "you" ? "You" : label, h("span", { class: "dim" }, table.names?.[seat] && label !== "you" ? table.names[seat] : ""))));
    if (table.view) {
      board.draw({ view: table.view, legal: table.legal, phrases: table.phrases, enabled: table.status === "waiting" && !watching, lastMove: table.last });
      put(log, ...table.log.map((/** @type {string} */ text) => h("li", {}, text)));
      log.lastElementChild?.scrollIntoView({ block: "nearest" });
      log.scrollTop = log.scrollHeight;
    }
    clearTimeout(patience);
    if (table.status === "thinking" && !watching) {
      put(line, "\u00a0");
      patience = setTimeout(() => put(line, table.line, h("span", { class: "dots" }, "…")), PATIENCE);
    } else put(line, ...status(table));
    line.className = table.status === "over" ? "line result" : `line ${table.status}`;
    put(controls, ...buttons());
    if (watching) put(extra, thoughts(table.thought));
    else if (hinted !== table.ply) put(extra);
    if (table.status === "over" && table.result?.opened.length) {
      put(extra, h("section", { class: "panel" }, ...table.result.opened.map((/** @type {string} */ text) => h("p", { class: "note" }, text))));
    }
  }

  /** @returns {import("../dom.js").Child[]} */
  function buttons() {
    const over = table.status === "over" || table.status === "failed";
    if (over) {
      return [
        table.status === "over" && h("a", { class: "button", href: `/analysis/${key}` }, "Analyse"),
        h("button", { class: "button quiet", type: "button", onclick: () => act("rematch", true) }, "Rematch, seats changed"),
        h("a", { class: "button quiet", href: `/new/${table.game}` }, "New game"),
      ];
    }
    if (table.you === null) {
      const paused = table.pace === null;
      return [
        h("button", { class: "button", type: "button", onclick: () => pace(paused ? 1 : null) }, paused ? "Go on" : "Pause"),
        h("button", { class: "button quiet", type: "button", onclick: () => pace(null, true) }, "Step"),
        h("select", { "aria-label": "pace", onchange: (/** @type {any} */ event) => pace(Number(event.target.value)) }, ...PACES.map(([words, seconds]) => h("option", { value: seconds, selected: table.pace === seconds }, words))),
      ];
    }
    const mine = table.status === "waiting";
    return [
      h("button", { class: "button quiet", type: "button", disabled: !mine, onclick: hint, title: "h" }, "Hint"),
      h("button", { class: "button quiet", type: "button", disabled: !table.undo, onclick: () => act("undo"), title: "u" }, "Undo"),
      h("button", { class: "button quiet", type: "button", disabled: !mine, onclick: () => act("resign") }, "Resign"),
    ];
  }

  /** @param {number} action */
  async function move(action) {
    if (sent === table.ply) return; // clicked twice
    sent = table.ply;
    try {
      draw(await api(`tables/${key}/move`, { action, ply: table.ply }));
    } catch (wrong) {
      notice(wrong);
      draw(await api(`tables/${key}`));
    }
    sent = -1;
  }

  /** @param {string} what @param {boolean} [leave] */
  async function act(what, leave = false) {
    try {
      const told = await api(`tables/${key}/${what}`, {});
      if (leave) dispatchEvent(new CustomEvent("arena:go", { detail: `/game/${told.id}` }));
      else draw(told);
    } catch (wrong) {
      notice(wrong);
    }
  }

  /** @param {number | null} seconds @param {boolean} [step] */
  async function pace(seconds, step = false) {
    try {
      draw(await api(`tables/${key}/pace`, { pace: seconds, step }));
    } catch (wrong) {
      notice(wrong);
    }
  }

  async function hint() {
    const ply = table.ply;
    put(extra, h("section", { class: "panel" }, h("p", { class: "note" }, "Looking for the best moves…")));
    try {
      const found = await api(`tables/${key}/hint`, {});
      hinted = ply;
      if (table.ply === ply) put(extra, h("section", { class: "panel" }, h("h2", {}, "Hint"), adviceTable(found)));
    } catch (wrong) {
      put(extra);
      notice(wrong);
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (!pageKey(event)) return;
    if (event.key === "h" && table.status === "waiting" && table.you !== null) void hint();
    if (event.key === "u" && table.undo) void act("undo");
  }
  addEventListener("keydown", press);
  draw(table);
  const stop = listen(key, draw);
  return () => {
    removeEventListener("keydown", press);
    clearTimeout(patience);
    stop();
    board.destroy();
  };
}

/** @param {any} table @returns {import("../dom.js").Child[]} */
function status(table) {
  if (table.status === "over") return [sentence(table.result.words)];
  if (table.status === "preparing") return [sentence(table.line), h("span", { class: "dots" }, "…")];
  if (table.status === "failed") return [sentence(table.line)];
  if (table.you === null) return [table.pace === null ? "Paused." : "\u00a0"];
  return ["Your move."];
}

/** @param {any} thought */
function thoughts(thought) {
  if (!thought) return h("section", { class: "panel" }, h("p", { class: "note" }, "The player of the last move does not say what it thought."));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, `What player ${thought.seat} thought`),
    h("p", { class: "note" }, thought.source === "search" ? `A search of ${thought.iterations.toLocaleString("en")} iterations: share of the search, mean result, visits.` : "How likely each move was."),
    h("table", { class: "thoughts" }, h("tbody", {}, ...thought.moves.map((/** @type {any} */ m) =>
      h("tr", {}, h("td", { class: "word" }, m.words), h("td", { class: "share" }, bar(m.share)), thought.source === "search" && h("td", {}, m.value === null ? "–" : signed(m.value)), thought.source === "search" && h("td", { class: "dim" }, m.visits.toLocaleString("en")))))),
  );
}
