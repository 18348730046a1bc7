/**
 * Choose coins to take: a selection that is always a legal take, by pointer and by keyboard.
 *
 * The selection is kept in the scene's memory, so that it lasts until the position changes.
 *
 * @module
 */

/** @typedef {import("./types.js").CoinsView} CoinsView */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Scene<CoinsView>} Scene */

/**
 * Return the takes that may be chosen now: action -> coins.
 *
 * @param {Scene} scene
 * @returns {Map<number, number[]>}
 */
export function openTakes({ view, open }) {
  const takes = new Map();
  for (const [action, coins] of Object.entries(view.takes)) {
    if (open.has(Number(action))) takes.set(Number(action), coins);
  }
  return takes;
}

/**
 * Return the smallest open take that has all these coins; null if there is none.
 *
 * @param {Map<number, number[]>} takes
 * @param {number[]} wanted
 * @returns {number[] | null}
 */
function smallest(takes, wanted) {
  /** @type {number[] | null} */
  let best = null;
  for (const coins of takes.values()) {
    if ((!best || coins.length < best.length) && wanted.every((coin) => coins.includes(coin))) {
      best = coins;
    }
  }
  return best;
}

/**
 * Return the selection after a coin has been pressed.
 *
 * @param {Map<number, number[]>} takes
 * @param {number[]} selected
 * @param {number} coin
 * @returns {number[]}
 */
function pressed(takes, selected, coin) {
  if (selected.includes(coin)) {
    const rest = selected.filter((other) => other !== coin);
    const exact = smallest(takes, rest);
    return rest.length === 0 || exact?.length === rest.length ? rest : [coin];
  }
  return smallest(takes, [...selected, coin]) ?? smallest(takes, [coin]) ?? [];
}

/**
 * Return the action that takes exactly these coins.
 *
 * @param {Map<number, number[]>} takes
 * @param {number[]} selected
 */
export function actionOf(takes, selected) {
  for (const [action, coins] of takes) {
    if (coins.length === selected.length && coins.every((coin) => selected.includes(coin))) {
      return action;
    }
  }
  return null;
}

/** @param {Scene} scene @returns {number[]} */
export const selection = (scene) => scene.memory.get("selected") ?? [];

/**
 * @param {Scene} scene
 * @param {number[]} coins
 */
export function select(scene, coins) {
  if (coins.join() === selection(scene).join()) return;
  scene.memory.set("selected", coins);
  scene.redraw();
}

// --- pointer and keyboard -------------------------------------------------------------------------

/** @type {Record<string, Point>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Let coins be pressed, dragged over, and chosen by keyboard.
 *
 * @param {Scene} scene
 * @param {Map<number, number[]>} takes
 * @param {SVGSVGElement} canvas
 * @param {Point[]} places
 * @param {number} apart
 */
export function handle(scene, takes, canvas, places, apart) {
  const { view, memory } = scene;

  memory.set("canvas", canvas); // a drawing during a drag replaces the one where it began
  /** @param {PointerEvent} event */
  const coinUnder = (event) => {
    /** @type {SVGSVGElement} */
    const present = memory.get("canvas") ?? canvas;
    const box = present.getBoundingClientRect();
    const scale = present.viewBox.baseVal.width / (box.width || 1);
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    return view.lying.find((coin) => {
      const [cx, cy] = places[coin] ?? [0, 0];
      return Math.hypot(cx - x, cy - y) < 0.46 * apart;
    });
  };
  canvas.addEventListener("pointerdown", (event) => {
    const coin = coinUnder(event);
    if (coin === undefined || event.button !== 0) return;
    event.preventDefault();
    memory.set("drag", { from: coin, over: coin, start: selection(scene), moved: false });
    memory.set("focus", coin);
    drag(scene, takes, coinUnder);
  });
  canvas.addEventListener("keydown", (event) => {
    const name = event.target instanceof Element && event.target.getAttribute("data-coin");
    if (!name) return;
    const coin = Number(name);
    const way = WAYS[event.key];
    if (event.key === "Enter") {
      const chosen = selection(scene);
      const action = actionOf(takes, chosen.length ? chosen : [coin]);
      if (action !== null) scene.act(action);
    } else if (event.key === " ") select(scene, pressed(takes, selection(scene), coin));
    else if (event.key === "Escape") select(scene, []);
    else if (way)
      canvas
        .querySelector(`[data-coin="${neighbour(view, places, coin, way)}"]`)
        ?.dispatchEvent(new CustomEvent("reach"));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  for (const key of canvas.querySelectorAll(".coin-key")) {
    key.addEventListener("reach", () => {
      for (const other of canvas.querySelectorAll(".coin-key"))
        other.setAttribute("tabindex", "-1");
      key.setAttribute("tabindex", "0");
      if (key instanceof SVGElement) key.focus();
    });
  }
}

/**
 * Follow the pointer until it is released. The board is drawn anew on the way, so that the listeners
 * are the window's.
 *
 * @param {Scene} scene
 * @param {Map<number, number[]>} takes
 * @param {(event: PointerEvent) => number | undefined} coinUnder
 */
function drag(scene, takes, coinUnder) {
  const { memory } = scene;
  /** @param {PointerEvent} event */
  const move = (event) => {
    const now = memory.get("drag");
    const coin = coinUnder(event);
    if (!now || coin === undefined || coin === now.over) return;
    const held = scene.view.gaps && now.moved ? selection(scene) : [now.from];
    const grown = smallest(takes, [...held, coin]);
    if (!grown) return;
    memory.set("drag", { ...now, over: coin, moved: true });
    select(scene, grown);
  };
  const stop = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
    window.removeEventListener("pointercancel", stop);
    memory.delete("drag");
  };
  const up = () => {
    const now = memory.get("drag");
    stop();
    if (now && !now.moved) select(scene, pressed(takes, now.start, now.from));
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", up);
  window.addEventListener("pointercancel", stop);
}

/**
 * Return the nearest coin in a direction; the coin itself if there is none.
 *
 * @param {CoinsView} view
 * @param {Point[]} places
 * @param {number} coin
 * @param {Point} way
 */
function neighbour(view, places, coin, [right, down]) {
  const [x, y] = places[coin] ?? [0, 0];
  let [best, least] = [coin, Infinity];
  for (const other of view.lying) {
    const [ox, oy] = places[other] ?? [0, 0];
    const along = (ox - x) * right + (oy - y) * down;
    const aside = Math.abs((ox - x) * down) + Math.abs((oy - y) * right);
    const cost = along + 2.2 * aside;
    if (along > 1 && cost < least) [best, least] = [other, cost];
  }
  return best;
}
