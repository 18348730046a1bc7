/**
 * Coins on a board, taken in lines.
 *
 * A selection grows by clicking coins (the first and the last of a run are enough) or by dragging
 * over them, and is always a legal take: a coin that does not fit begins a new one. Coins carry
 * `data-coin="i"`; the button `data-take-submit` takes the selection and carries its `data-action`.
 * Keyboard: arrows go from coin to coin, Space selects, Enter takes, Escape clears.
 *
 * @module
 */

import { actionOf, handle, openTakes, select, selection } from "./coins_select.js";
import { mountBoard, nameOf, sideOf, statusLine, tell } from "./frame.js";
import { calm, circle, html, label, picture, svg } from "./svg.js";

/** @typedef {import("./types.js").CoinsView} CoinsView */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Scene<CoinsView>} Scene */

/** @type {import("./types.js").Mount<CoinsView>} */
export function mount(element, props) {
  return mountBoard(element, props, "coins", draw);
}

/** @param {Scene} scene */
function draw(scene) {
  const { view } = scene;
  const mover = view.mover ?? 0;
  const left = view.lying.length;
  const status = statusLine(scene, {
    progress: `${left} of ${view.cells.length} coins left`,
    own: "your move",
    task: view.gaps ? "take any coins of one line" : "take a run of coins in one line",
    waiting: tell(view, mover, "take coins", "takes coins"),
    reason: ending(view),
  });
  const takes = openTakes(scene);
  scene.cover(...takes.keys());
  const parts = [status, stage(scene, takes)];
  if (view.points) parts.push(points(view));
  if (takes.size) parts.push(takeBar(scene, takes));
  return parts;
}

/** @param {CoinsView} view */
function ending(view) {
  if (view.score === "points" && view.points) {
    const [first, second] = view.seat === 1 ? [1, 0] : [0, 1];
    return `${view.points[first]} points to ${view.points[second]}`;
  }
  return view.taker === null ? "" : tell(view, view.taker, "took", "took", "the last coin");
}

/** @param {CoinsView} view */
function rule(view) {
  const most = view.max_take ? `; at most ${view.max_take} at once` : "";
  if (view.score === "points") {
    const bonus = view.last_bonus ? `, ${signed(view.last_bonus)} for the last coin` : "";
    return `the higher total of points wins${bonus}${most}`;
  }
  return `the player who takes the last coin ${view.last_coin}${most}`;
}

/** @param {number} value */
const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/**
 * Return the centre of each coin, the distance between two, and the size of the picture.
 *
 * @param {CoinsView} view
 * @param {number} width
 */
function layOut(view, width) {
  const w = Math.min(Math.max(width - 2, 280), 860);
  const [lean, drop] = view.triangular ? [0.5, Math.sqrt(3) / 2] : [0, 1];
  const raw = view.cells.map(
    ([row, column]) => /** @type {Point} */ ([column - lean * row, drop * row]),
  );
  const xs = raw.map(([x]) => x);
  const ys = raw.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const apart = Math.min(72, (w - 28) / (right - left + 1), 460 / (high - low + 1));
  const places = raw.map(
    ([x, y]) =>
      /** @type {Point} */ ([
        w / 2 + apart * (x - (left + right) / 2),
        12 + apart * (y - low + 0.5),
      ]),
  );
  return { w, apart, places, height: apart * (high - low + 1) + 24 };
}

/**
 * @param {Scene} scene
 * @param {Map<number, number[]>} takes
 */
function stage(scene, takes) {
  const { view, before } = scene;
  const { w, apart, places, height } = layOut(view, scene.width);
  const radius = 0.41 * apart;
  const selected = selection(scene);
  const canvas = picture(w, height, {
    class: `stage-picture coins-picture ${takes.size ? "coins-open" : ""}`,
    role: "group",
    "aria-label": `${view.lying.length} coins on the board`,
  });
  canvas.append(metals(view));
  for (const [x, y] of places)
    canvas.append(circle(x, y, Math.max(0.08 * apart, 2.5), { class: "hole" }));
  if (view.taker !== null) {
    const fade = before !== null && before.last.join() !== view.last.join() && !calm();
    canvas.append(trace(view, places, radius, fade));
  }
  if (selected.length) canvas.append(band(places, selected, radius + 5, "selection"));
  const focus = view.lying.includes(scene.memory.get("focus"))
    ? scene.memory.get("focus")
    : view.lying[0];
  for (const coin of view.lying) {
    const drawn = coinAt(view, coin, places[coin] ?? [0, 0], radius, selected.includes(coin));
    if (takes.size) {
      drawn.classList.add("coin-key");
      drawn.setAttribute("role", "button");
      drawn.setAttribute("tabindex", coin === focus ? "0" : "-1");
      drawn.setAttribute("aria-pressed", String(selected.includes(coin)));
      drawn.setAttribute("aria-label", named(view, coin));
      drawn.addEventListener("focus", () => scene.memory.set("focus", coin));
    }
    canvas.append(drawn);
  }
  if (takes.size) handle(scene, takes, canvas, places, apart);
  const champion = view.winners.length ? sideOf(view, view.winners[0] ?? 0) : "none";
  return html(
    "div",
    { class: "stage", "data-champion": champion },
    html(
      "div",
      { class: "stage-head" },
      html("span", {}, rule(view)),
      html("span", {}, lastMove(view)),
    ),
    canvas,
  );
}

/** @param {CoinsView} view */
function lastMove(view) {
  if (view.taker === null) return "no coin has been taken yet";
  const count = view.last.length;
  return tell(
    view,
    view.taker,
    "took",
    "took",
    `${count} coin${count === 1 ? "" : "s"}: ${view.last.join(" ")}`,
  );
}

/**
 * @param {CoinsView} view
 * @param {number} coin
 */
const named = (view, coin) =>
  `coin ${coin}${view.values ? `, ${signed(view.values[coin] ?? 0)} points` : ""}`;

/**
 * Return the shades of the coins.
 *
 * @param {CoinsView} view
 */
function metals(view) {
  const kinds = view.values ? ["good", "bad", "plain"] : ["gold"];
  return svg(
    "defs",
    {},
    ...kinds.map((kind) =>
      svg(
        "radialGradient",
        { id: `metal-${kind}`, cx: "38%", cy: "32%", r: "75%" },
        svg("stop", { offset: "0%", class: `metal-${kind}-light` }),
        svg("stop", { offset: "70%", class: `metal-${kind}` }),
        svg("stop", { offset: "100%", class: `metal-${kind}-dark` }),
      ),
    ),
  );
}

/**
 * Return a coin with its number or its points.
 *
 * @param {CoinsView} view
 * @param {number} coin
 * @param {Point} place
 * @param {number} radius
 * @param {boolean} selected
 */
function coinAt(view, coin, [x, y], radius, selected) {
  const value = view.values ? (view.values[coin] ?? 0) : null;
  const kind = value === null ? "gold" : value > 0 ? "good" : value < 0 ? "bad" : "plain";
  const words = value === null ? String(coin) : signed(value);
  const size = radius * (value === null ? 0.62 : 0.8) * (words.length > 2 ? 0.85 : 1);
  return svg(
    "g",
    {
      class: `coin coin-${kind} ${selected ? "coin-selected" : ""}`,
      "data-coin": coin,
      "data-key": `coin-${coin}`,
    },
    circle(x + 0.05 * radius, y + 0.13 * radius, radius, { class: "shadow" }),
    circle(x, y, radius, { class: "coin-rim", fill: `url(#metal-${kind})` }),
    circle(x, y, radius * 0.82, { class: "coin-ring" }),
    svg("path", { d: arc(x, y, radius * 0.91), class: "coin-gleam" }),
    label(x, y + 0.5, words, { class: "coin-words", "font-size": size.toFixed(1) }),
    circle(x, y, radius + 3, { class: "coin-focus" }),
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function arc(x, y, r) {
  /** @param {number} degrees */
  const at = (degrees) => {
    const turn = (degrees * Math.PI) / 180;
    return `${(x + r * Math.cos(turn)).toFixed(1)} ${(y + r * Math.sin(turn)).toFixed(1)}`;
  };
  return `M${at(195)}A${r} ${r} 0 0 1 ${at(280)}`;
}

/**
 * Return a band over coins of one line.
 *
 * @param {Point[]} places
 * @param {number[]} coins
 * @param {number} half half of its width
 * @param {string} look
 */
function band(places, coins, half, look) {
  const ends = [coins[0] ?? 0, coins[coins.length - 1] ?? 0].map((coin) => places[coin] ?? [0, 0]);
  const d = `M${ends[0]}L${ends[1]}`;
  return svg("path", { d, class: `coin-band ${look}`, "stroke-width": 2 * half });
}

/**
 * Return the places of the coins that were taken last, in the colour of their taker.
 *
 * @param {CoinsView} view
 * @param {Point[]} places
 * @param {number} radius
 * @param {boolean} fade
 */
function trace(view, places, radius, fade) {
  const side = sideOf(view, view.taker ?? 0);
  const rings = view.last.map((coin) => {
    const [x, y] = places[coin] ?? [0, 0];
    return circle(x, y, radius - 3, { class: "trace-ring" });
  });
  const group = svg(
    "g",
    { class: `trace side${side}` },
    band(places, view.last, radius + 2, "trace-band"),
    ...rings,
  );
  if (fade) {
    for (const ring of rings) {
      ring.animate([{ opacity: 0, r: `${radius + 8}px` }, { opacity: 1 }], { duration: 420 });
    }
  }
  return group;
}

/**
 * Return the points of both players.
 *
 * @param {CoinsView} view
 */
function points(view) {
  const seats = view.seat === 1 ? [1, 0] : [0, 1];
  return html(
    "div",
    { class: "scores" },
    ...seats.map((seat) =>
      html(
        "div",
        { class: "score", "data-side": sideOf(view, seat) },
        html("span", { class: "caption" }, nameOf(view, seat)),
        html("span", { class: "amount" }, String(view.points?.[seat] ?? 0)),
      ),
    ),
  );
}

/**
 * Return the bar with the button that takes the selection.
 *
 * @param {Scene} scene
 * @param {Map<number, number[]>} takes
 */
function takeBar(scene, takes) {
  const { view } = scene;
  const selected = selection(scene);
  const action = actionOf(takes, selected);
  const worth = view.values && selected.reduce((sum, coin) => sum + (view.values?.[coin] ?? 0), 0);
  const what = `${selected.length} coin${selected.length === 1 ? "" : "s"}`;
  const send = html(
    "button",
    {
      type: "button",
      class: "key primary",
      "data-take-submit": true,
      "data-key": "send",
      "data-action": action,
    },
    action === null ? "Take" : `Take ${what}${worth === null ? "" : ` (${signed(worth)})`}`,
  );
  if (action === null) send.disabled = true;
  else {
    send.setAttribute("aria-label", `take ${scene.words(action)}`);
    send.addEventListener("click", () => scene.act(action));
  }
  const clear = html(
    "button",
    { type: "button", class: "key chip", "data-take-clear": true, "data-key": "clear" },
    "clear",
  );
  clear.disabled = action === null;
  clear.addEventListener("click", () => select(scene, []));
  const hint = view.gaps
    ? "click the coins of a line, or drag over them"
    : "click the first and the last coin, or drag over them";
  return html(
    "div",
    { class: "take-bar", "aria-live": "polite" },
    send,
    clear,
    html("span", { class: "bid-hint" }, action === null ? hint : `coins ${selected.join(" ")}`),
  );
}
