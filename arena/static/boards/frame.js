/**
 * What all boards share: mounting, the line on top that says what is awaited, and the list of moves
 * that a board does not draw.
 *
 * An element that performs action N carries `data-action="N"`. Elements with the class `key` are
 * reached by Tab; within a `data-arrows` container the arrow keys go from one to the next.
 *
 * @module
 */

import { html } from "./svg.js";

/** @typedef {import("./types.js").View} View */

/**
 * What a board's drawing function works with.
 *
 * @template {View} V
 * @typedef {object} Scene
 * @property {import("./types.js").Props<V>} props
 * @property {V} view
 * @property {V | null} before the view drawn before this one, if the position has changed
 * @property {number} width the room for the board in pixels
 * @property {Set<number>} open the actions that may be chosen now, empty on a board to look at
 * @property {(action: number) => void} act choose an action; nothing happens if it is not open
 * @property {(action: number) => string} words
 * @property {(...actions: number[]) => void} cover say that the drawing offers these actions
 * @property {() => void} redraw
 * @property {Map<string, any>} memory kept from drawing to drawing
 */

/**
 * Put a board on the page.
 *
 * @template {View} V
 * @param {HTMLElement} element
 * @param {import("./types.js").MountProps<V>} first
 * @param {string} name
 * @param {(scene: Scene<V>) => Node[]} draw
 * @returns {import("./types.js").Board<V>}
 */
export function mountBoard(element, first, name, draw) {
  const root = html("div", { class: `board board-${name}`, "data-board": name });
  element.append(root);
  let { onAction, ...props } = first;
  /** @type {V | null} */
  let before = null;
  /** @type {Map<string, any>} */
  const memory = new Map();
  let width = 0;

  function paint() {
    width = Math.round(root.clientWidth || element.clientWidth || 720);
    const open = new Set(props.enabled ? props.legal : []);
    const covered = new Set();
    /** @type {Scene<V>} */
    const scene = {
      props,
      view: props.view,
      before,
      width,
      open,
      act: (action) => {
        if (open.has(action)) onAction(action);
      },
      words: (action) => props.phrases[action] ?? `action ${action}`,
      cover: (...actions) => actions.forEach((action) => covered.add(action)),
      redraw: () => {
        before = null;
        paint();
      },
      memory,
    };
    const held = focused(root);
    const nodes = draw(scene);
    const rest = [...open].filter((action) => !covered.has(action));
    const more = rest.length ? [moveList(scene, rest, "more moves")] : [];
    root.replaceChildren(...nodes, ...more);
    root.classList.toggle("board-open", open.size > 0);
    if (held) refocus(root, held);
  }

  const watch = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) > 1) {
      before = null;
      paint();
    }
  });
  root.addEventListener("keydown", walk);
  paint();
  watch.observe(root);
  return {
    update(next) {
      const { view, legal, phrases, enabled, lastMove } = next;
      before = JSON.stringify(view) === JSON.stringify(props.view) ? null : props.view;
      if (before) memory.clear();
      props = { view, legal, phrases, enabled, lastMove };
      paint();
    },
    destroy() {
      watch.disconnect();
      root.remove();
    },
  };
}

/**
 * Return how to find the focused element again after a new drawing.
 *
 * @param {HTMLElement} root
 */
function focused(root) {
  const element = document.activeElement;
  if (!(element instanceof Element) || !root.contains(element)) return "";
  const key = element.getAttribute("data-key");
  const action = element.getAttribute("data-action");
  return key ? `[data-key="${key}"]` : action ? `[data-action="${action}"]` : "";
}

/**
 * @param {HTMLElement} root
 * @param {string} selector
 */
function refocus(root, selector) {
  const element = root.querySelector(selector);
  if (element instanceof HTMLElement || element instanceof SVGElement) {
    element.focus({ preventScroll: true });
  }
}

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/**
 * Let arrow keys, Home and End go through the keys of a `data-arrows` container, and Enter and Space
 * press a key that is no button of HTML.
 *
 * @param {KeyboardEvent} event
 */
function walk(event) {
  const at = event.target;
  if (!(at instanceof Element) || at.matches("input") || event.defaultPrevented) return;
  if (at instanceof SVGElement && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    at.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    return;
  }
  const all = [...(at.closest("[data-arrows]")?.querySelectorAll(".key:not([disabled])") ?? [])];
  const index = all.indexOf(at);
  if (index < 0) return;
  let next = index + (STEPS[event.key] ?? 0);
  if (event.key === "Home") next = 0;
  if (event.key === "End") next = all.length - 1;
  if (next === index) return;
  event.preventDefault();
  const goal = all[(next + all.length) % all.length];
  if (goal instanceof HTMLElement || goal instanceof SVGElement) goal.focus();
}

/**
 * Return a button that performs an action.
 *
 * @template {View} V
 * @param {Scene<V>} scene
 * @param {number} action
 * @param {string} [words] what it says; the phrase of the action if left out
 * @param {string} [look] a further class
 */
export function actionButton(scene, action, words, look = "") {
  const said = scene.words(action);
  scene.cover(action);
  const button = html(
    "button",
    { type: "button", class: `key ${look}`, "data-action": action, "aria-label": said },
    words ?? said,
  );
  if (!scene.open.has(action)) button.disabled = true;
  button.addEventListener("click", () => scene.act(action));
  return button;
}

const MANY = 40; // moves from which a list gets a field to search it

/**
 * Return a list of actions in words, one button for each, with a field to search a long one.
 *
 * @template {View} V
 * @param {Scene<V>} scene
 * @param {number[]} actions
 * @param {string} title
 */
export function moveList(scene, actions, title) {
  const buttons = actions.map((action) => actionButton(scene, action, undefined, "move"));
  const list = html("div", { class: "choices-list", "data-arrows": true }, ...buttons);
  const head = html("span", { class: "caption" }, title);
  const box = html("div", { class: "choices", role: "group", "aria-label": title }, head);
  if (actions.length > MANY) {
    const field = html("input", {
      type: "search",
      class: "choices-search",
      placeholder: `search ${actions.length} moves`,
      "aria-label": "search the moves",
      "data-key": "search",
    });
    field.value = scene.memory.get("search") ?? "";
    const narrow = () => {
      const wanted = field.value.trim().toLowerCase();
      scene.memory.set("search", field.value);
      for (const button of buttons) {
        button.hidden = !(button.textContent ?? "").toLowerCase().includes(wanted);
      }
    };
    field.addEventListener("input", narrow);
    narrow();
    box.append(field);
  }
  box.append(list);
  return box;
}

/**
 * Return whose colour a seat has: 0 the viewer's side, 1 the others'.
 *
 * @param {View} view
 * @param {number} seat
 */
export function sideOf(view, seat) {
  return view.teams[seat] === view.teams[view.seat ?? 0] ? 0 : 1;
}

/**
 * Return what a seat is called, in at most so many characters.
 *
 * @param {View} view
 * @param {number} seat
 * @param {number} [most]
 */
export function nameOf(view, seat, most = 18) {
  let name = view.names[seat] ?? `player ${seat}`;
  if (name.length > most) name = name.split("/").pop() || name; // a path by its last part
  if (name.length > most && name.includes(":")) name = `${name.split(":")[0]}…`; // a bot's options
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

/**
 * Return a sentence about a seat with the verb in its form: "you win", "opponent wins".
 *
 * @param {View} view
 * @param {number} seat
 * @param {string} plain the verb as after "you"
 * @param {string} other the verb as after a name
 * @param {string} [rest]
 */
export function tell(view, seat, plain, other, rest = "") {
  const name = nameOf(view, seat);
  return `${name} ${name === "you" ? plain : other}${rest ? ` ${rest}` : ""}`;
}

/**
 * Return how the game ended, in a word or two.
 *
 * @param {View} view
 */
export function outcome(view) {
  const { winners, seat, teams } = view;
  if (view.cut && !winners.length) return "stopped";
  if (!winners.length) return "draw";
  if (seat !== null && winners.includes(seat)) {
    const alone = winners.every((other) => teams[other] === teams[seat]);
    return alone ? "you win" : "shared win";
  }
  if (seat !== null) return "you lose";
  const said = winners.map((other) => nameOf(view, other)).join(" and ");
  return winners.length > 1 ? `${said} win` : `${said} wins`;
}

/**
 * Return the line on top of a board: how far the game is, what is awaited or how it ended.
 *
 * @template {View} V
 * @param {Scene<V>} scene
 * @param {{progress: string, own: string, task: string, waiting: string, reason: string}} words
 *   `own` is a headline such as "your bid", `task` says more; `waiting` is what another does now;
 *   `reason` why the game ended so
 */
export function statusLine(scene, { progress, own, task, waiting, reason }) {
  const { view } = scene;
  const mine = view.mover !== null && view.mover === view.seat;
  let [headline, more, side] = [own, task, "0"];
  if (view.over) {
    [headline, more] = [outcome(view), reason];
    side = view.winners.length ? String(sideOf(view, view.winners[0] ?? 0)) : "none";
  } else if (!mine) {
    const seat = view.mover ?? 0;
    [headline, more] = view.seat === null ? ["to move", waiting] : ["waiting", waiting];
    side = view.seat === null ? String(sideOf(view, seat)) : "none";
  }
  return html(
    "div",
    { class: "status", "aria-live": "polite" },
    html("span", { class: "progress" }, progress),
    html("span", { class: "pill", "data-side": side }, headline),
    more && html("span", { class: "reason" }, more),
  );
}

/**
 * Return what to do when a key drawn in SVG is pressed, and the attributes that make it one.
 *
 * @template {View} V
 * @template {SVGElement} E
 * @param {Scene<V>} scene
 * @param {E} element
 * @param {number} action
 * @returns {E}
 */
export function makeKey(scene, element, action) {
  scene.cover(action);
  if (!scene.open.has(action)) return element;
  element.setAttribute("data-action", String(action));
  element.setAttribute("role", "button");
  element.setAttribute("tabindex", "0");
  element.setAttribute("aria-label", scene.words(action));
  element.classList.add("key");
  element.addEventListener("click", () => scene.act(action));
  return element;
}
