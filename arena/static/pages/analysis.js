/**
 * A finished game, move by move: values, losses, marks, and other moves to try.
 *
 * @module
 */

import { adviceTable } from "../advice.js";
import { api, listen } from "../api.js";
import { loadBoard, pageKey } from "../board.js";
import { valueGraph } from "../charts.js";
import { h, notice, put, sentence, signed } from "../dom.js";
import { linkOf, save } from "../record.js";
import { seatForm } from "./seats.js";

/** @type {Record<string, string>} */
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** @type {import("../app.js").Page} */
export async function analysisPage(element, key) {
  const table = await opened(key);
  const game = await api(`tables/${key}/moves`);
  document.title = `${table.title}, analysis · bidarena`;
  const moves = game.moves;
  const twoSided = game.zero_sum && new Set(game.teams).size === 2;
  const ownTeam = table.teams[table.you ?? 0];
  let ply = 0;
  /** @type {number[]} */
  let line = [];
  /** @type {string[]} */
  let lineWords = [];
  let eyes = "mover";
  let left = false;
  /** @type {any[]} */
  const judged = new Array(moves.length).fill(null);
  /** @type {Map<string, any>} */
  const known = new Map();

  const boardPlace = h("div", { class: "board-place" });
  const graph = h("div", { class: "graph-place" });
  const summary = h("div", { class: "summary" });
  const list = h("ol", { class: "moves", "aria-label": "moves" });
  const advice = h("div", { class: "advice-place" });
  const caption = h("p", { class: "line", role: "status" });
  const progress = h("p", { class: "note" });
  const eyesChoice = h(
    "select",
    { "aria-label": "whose eyes", onchange: (/** @type {any} */ e) => { eyes = e.target.value; void show(); } },
    h("option", { value: "mover" }, "what the player to move knew"),
    h("option", { value: "all" }, "everything open"),
    ...table.players.map((/** @type {string} */ label, /** @type {number} */ seat) => h("option", { value: seat }, `what seat ${seat + 1} (${label}) knew`)),
  );
  const goOn = h("div", {});
  const step = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {() => void} */ go) => h("button", { class: "button quiet step", type: "button", "aria-label": words, title: words, onclick: go }, sign);
  put(
    element,
    h(
      "div",
      { class: "play analysis" },
      h("section", { class: "stage-column" }, boardPlace, caption,
        h("p", { class: "actions center" }, step("«", "first position", () => to(0)), step("‹", "one back", back), step("›", "one forward", forward), step("»", "last position", () => to(moves.length)))),
      h("aside", { class: "side" },
        h("h1", {}, table.title, " ", h("span", { class: "dim" }, "analysis")),
        table.result && h("p", { class: "line result" }, sentence(table.result.words)),
        h("section", { class: "panel" }, graph, progress),
        h("section", { class: "panel" }, list),
        h("section", { class: "panel" }, h("p", { class: "actions" }, game.hides && eyesChoice), advice),
        h("section", { class: "panel" }, summary),
        h("p", { class: "actions" },
          h("button", { class: "button quiet", type: "button", onclick: playOn }, "Play on from here"),
          h("button", { class: "button quiet", type: "button", onclick: exportGame }, "Save as a file"),
          h("button", { class: "button quiet", type: "button", onclick: copyLink }, "Copy a link with the game")),
        goOn),
    ),
  );
  const board = await loadBoard(boardPlace, table.board, tried);

  // --- going to and fro ---

  /** @param {number} where */
  function to(where) {
    ply = Math.max(0, Math.min(moves.length, where));
    line = [];
    lineWords = [];
    void show();
  }
  function back() {
    if (line.length) {
      line = line.slice(0, -1);
      lineWords = lineWords.slice(0, -1);
      void show();
    } else to(ply - 1);
  }
  function forward() {
    if (!line.length) to(ply + 1);
  }
  /** @param {number} action */
  function tried(action) {
    if (!line.length && moves[ply]?.action === action) {
      to(ply + 1);
      return;
    }
    const words = shown?.phrases?.[action] ?? `action ${action}`;
    line = [...line, action];
    lineWords = [...lineWords, words];
    void show();
  }

  /** @type {any} */
  let shown = null;
  let shows = 0;
  const where = () => `ply=${ply}&line=${line.join(",")}`;

  async function show() {
    const turn = ++shows;
    drawMoves();
    drawGraph();
    try {
      const position = await api(`tables/${key}/position?${where()}&eyes=${eyes}`);
      if (turn !== shows || left) return;
      shown = position;
      board.draw({ view: position.view, legal: position.legal, phrases: position.phrases, enabled: !position.over, lastMove: position.last });
      put(caption, ...told(position));
      if (position.over) {
        put(advice, h("p", { class: "note" }, "The game is over here."));
        return;
      }
      put(advice, h("p", { class: "note" }, "Looking for the values of all moves…"));
      const judgement = await judgementAt(where());
      if (turn !== shows || left) return;
      put(advice, adviceTable(judgement, { played: line.length ? null : moves[ply]?.action, onChoose: tried }));
    } catch (wrong) {
      if (turn === shows && !left) notice(wrong);
    }
  }

  /** @param {string} place */
  async function judgementAt(place) {
    if (!known.has(place)) known.set(place, await api(`tables/${key}/judgement?${place}`));
    return known.get(place);
  }

  /** @param {any} position @returns {import("../dom.js").Child[]} */
  function told(position) {
    const last = position.last ? `${game.names[position.last.seat]}: ${position.last.words}` : "The deal";
    const next = position.over ? "" : `; ${game.names[position.mover]} is to move`;
    if (!line.length) return [`Move ${ply} of ${moves.length}. `, h("span", { class: "dim" }, `${last}${next}.`)];
    return ["Tried after move ", ply, ": ", h("b", {}, lineWords.join(", ")), h("span", { class: "dim" }, next, ". "), h("button", { class: "link", type: "button", onclick: () => to(ply) }, "back to the game")];
  }

  // --- values ---

  function drawGraph() {
    const found = judged.flatMap((judgement, at) => (judgement && judgement.value !== null ? [{ judgement, at }] : []));
    const scale = Math.max(1, ...found.map(({ judgement }) => judgement.scale));
    /** @type {import("../charts.js").Dot[][]} */
    let curves;
    if (twoSided) {
      curves = [found.map(({ judgement, at }) => ({ ply: at, side: 0, spread: judgement.spread, mark: judgement.mark, value: table.teams[judgement.seat] === ownTeam ? judgement.value : -judgement.value }))];
      if (table.result && table.status === "over" && curves[0].length) {
        const value = table.result.returns[table.you ?? 0];
        curves[0].push({ ply: moves.length, side: 0, spread: 0, mark: "", value: Math.max(-scale, Math.min(scale, value)) });
      }
    } else {
      curves = table.teams.map((/** @type {number} */ _, /** @type {number} */ seat) => found.filter(({ judgement }) => judgement.seat === seat).map(({ judgement, at }) => ({ ply: at, side: seat, spread: judgement.spread, mark: judgement.mark, value: judgement.value })));
    }
    put(graph, valueGraph(curves, { moves: moves.length, scale, here: ply, onPly: to, title: twoSided ? `value for ${game.names[table.you ?? 0]} over the game` : "value for each player over the game" }));
  }

  function drawSummary() {
    const exact = judged.some((j) => j && j.value !== null) && judged.every((j) => !j || j.value === null || j.hint.exact);
    put(summary, h("table", {}, h("thead", {}, h("tr", {}, h("th", { class: "word" }, "player"), h("th", {}, "accuracy"), ...Object.entries(SIGNS).map(([word, sign]) => h("th", { title: `${word}s` }, sign)))),
      h("tbody", {}, ...table.players.map((/** @type {string} */ label, /** @type {number} */ seat) => {
        const own = judged.filter((j) => j && j.seat === seat && j.accuracy !== null);
        const mean = own.length ? own.reduce((sum, j) => sum + j.accuracy, 0) / own.length : null;
        return h("tr", {}, h("td", { class: `word side${table.teams[seat] % 2}` }, h("i", {}), label), h("td", {}, mean === null ? "–" : `${mean.toFixed(0)} %`), ...Object.keys(SIGNS).map((mark) => h("td", {}, own.filter((j) => j.mark === mark).length)));
      }))),
      h("p", { class: "note" }, exact ? "Values are exact." : "Values without an exact solution are estimates of a search; the band shows their spread."));
  }

  function drawMoves() {
    put(list, ...moves.map((/** @type {any} */ move, /** @type {number} */ at) => {
      const judgement = judged[at];
      const current = !line.length && at === ply - 1;
      const loss = judgement?.loss > 0.005 ? signed(-judgement.loss) : "";
      return h("li", { class: `side${table.teams[move.seat] % 2} ${judgement?.mark ?? ""}`, "aria-current": current ? "true" : null },
        h("button", { type: "button", onclick: () => to(at + 1) }, h("i", {}), h("span", {}, move.words), h("b", {}, SIGNS[judgement?.mark] ?? ""), h("span", { class: "dim" }, loss)));
    }));
    const current = list.querySelector("[aria-current]");
    if (current instanceof HTMLElement) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }

  async function judgeAll() {
    for (let at = 0; at < moves.length && !left; at += 1) {
      if (moves[at].choices > 1) {
        try {
          judged[at] = await judgementAt(`ply=${at}&line=`);
        } catch (wrong) {
          notice(wrong);
          return;
        }
        if (left) return;
      }
      put(progress, at + 1 < moves.length ? `${at + 1} of ${moves.length} moves judged` : "");
      if (at % 3 === 2 || at + 1 === moves.length) {
        drawGraph();
        drawMoves();
        drawSummary();
      }
    }
    element.dataset.judged = "all";
  }

  // --- what else can be done ---

  async function playOn() {
    const form = await api(`catalogue/${table.game}`);
    const seats = seatForm(form, { watch: false, seat: shown?.mover ?? table.you ?? 0 });
    const start = async () => {
      try {
        const told = await api(`tables/${key}/continue`, { ply, line, seats: seats.chosen() });
        dispatchEvent(new CustomEvent("arena:go", { detail: `/game/${told.id}` }));
      } catch (wrong) {
        notice(wrong);
      }
    };
    put(goOn, h("section", { class: "panel" }, h("h2", {}, "Play on from here"), seats.element, h("p", { class: "actions" }, h("button", { class: "button", type: "button", onclick: start }, "Start"))));
    goOn.scrollIntoView({ block: "nearest" });
  }
  async function exportGame() {
    save(await api(`tables/${key}/record`), `bidarena-${table.game}-${key}.json`);
  }
  async function copyLink() {
    const link = await linkOf(await api(`tables/${key}/record`));
    put(goOn, h("section", { class: "panel" }, h("p", { class: "note" }, "A link that contains the whole game:"), h("textarea", { readonly: true, rows: 3, class: "link-text", "aria-label": "link" }, link)));
    try {
      await navigator.clipboard.writeText(link);
      notice("The link is copied.");
    } catch {
      goOn.querySelector("textarea")?.select(); // the browser does not let us copy
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (!pageKey(event)) return;
    /** @type {Record<string, () => void>} */
    const keys = { ArrowLeft: back, ArrowRight: forward, Home: () => to(0), End: () => to(moves.length) };
    if (!(event.key in keys)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
  addEventListener("keydown", press, true);
  drawSummary();
  void show();
  void judgeAll();
  return () => {
    left = true;
    removeEventListener("keydown", press, true);
    board.destroy();
  };
}

/**
 * Return a game once it is ready to be looked at.
 *
 * @param {string} key
 */
async function opened(key) {
  const table = await api(`tables/${key}`);
  if (table.status !== "preparing") return table;
  return new Promise((resolve) => {
    const stop = listen(key, (told) => {
      if (told.status === "preparing") return;
      stop();
      resolve(told);
    });
  });
}
