/**
 * A card table for four: hands, auction, trump, tricks and points. The viewer sits below.
 *
 * Cards of the viewer's hand that may be played are keys with `data-action`; bids, suits and all
 * other actions are buttons with `data-action`. Arrow keys go from one to the next.
 *
 * @module
 */

import { cardFace, cardName, suitSign } from "./cards.js";
import { actionButton, mountBoard, outcome, statusLine, tell } from "./frame.js";
import { glide, html, label, picture, rect } from "./svg.js";
import { factPanels } from "./tricks_facts.js";
import { ownHand, placeOf, player } from "./tricks_seats.js";

/** @typedef {import("./types.js").TricksView} TricksView */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Scene<TricksView>} Scene */

/** @type {import("./types.js").Mount<TricksView>} */
export function mount(element, props) {
  return mountBoard(element, props, "tricks", draw);
}

const WIDE = 720; // from here on the facts stand beside the table

/** @param {Scene} scene */
function draw(scene) {
  const { view } = scene;
  const wide = scene.width >= WIDE;
  const status = statusLine(scene, {
    progress: [view.stage, matchOf(view)].filter(Boolean).join(", "),
    own:
      { bidding: "your bid", trump: "your trump", playing: "your card" }[String(view.phase)] ??
      "your answer",
    task: view.task,
    waiting: waiting(view),
    reason: view.ending,
  });
  const grid = html(
    "div",
    { class: `tricks ${wide ? "tricks-wide" : ""}` },
    felt(scene, Math.min(wide ? scene.width - 216 : scene.width, 700)),
    html("div", { class: "facts" }, ...factPanels(view, scene.before)),
  );
  return [status, grid];
}

/** @param {TricksView} view */
function matchOf(view) {
  if (!view.score) return "";
  const own = (view.seat ?? 0) % 2;
  return `match ${view.score[own]} : ${view.score[1 - own]}, to ${view.match_to}`;
}

/** @param {TricksView} view */
function waiting(view) {
  if (view.mover === null) return "";
  /** @type {Record<string, [string, string]>} */
  const doing = {
    bidding: ["bid", "bids"],
    doubling: view.stake > 1 ? ["may redouble", "may redouble"] : ["may double", "may double"],
    trump: ["choose the trump", "chooses the trump"],
    single: ["may play a single hand", "may play a single hand"],
    playing: view.asked
      ? ["asked for the trump", "asked for the trump"]
      : ["play a card", "plays a card"],
  };
  const [plain, other] = doing[view.phase] ?? ["move", "moves"];
  return tell(view, view.mover, plain, other);
}

/**
 * Return the table with everything that lies on it.
 *
 * @param {Scene} scene
 * @param {number} width
 */
function felt(scene, width) {
  const { view } = scene;
  const narrow = width < 480;
  const height = narrow ? 480 : 530;
  const canvas = picture(width, height, { class: "felt-picture", "data-arrows": true });
  canvas.setAttribute("role", "group");
  canvas.setAttribute("aria-label", "the card table");
  canvas.append(
    rect(1.5, 1.5, width - 3, height - 3, { rx: 20, class: "felt" }),
    rect(9, 9, width - 18, height - 18, { rx: 14, class: "felt-line" }),
  );
  const middle = /** @type {Point} */ ([width / 2, narrow ? 216 : 228]);
  for (const seat of [0, 1, 2, 3]) canvas.append(...player(scene, seat, width, height, narrow));
  canvas.append(...trick(scene, middle, narrow));
  canvas.append(...ownHand(scene, width, height, narrow));
  if (view.over) {
    canvas.append(
      label(width / 2, height - 70, outcome(view), { class: "felt-result" }),
      label(width / 2, height - 40, view.ending, { class: "felt-words" }),
    );
  }
  return html("div", { class: "felt-box" }, canvas, controls(scene));
}

// --- the trick ------------------------------------------------------------------------------------

/** @type {Point[]} */
const TOWARD = [
  [0, 1],
  [-1, 0],
  [0, -1],
  [1, 0],
]; // from the middle to each place

/**
 * Return the cards on the table; between two tricks the last one, faded.
 *
 * @param {Scene} scene
 * @param {Point} middle
 * @param {boolean} narrow
 */
function trick(scene, [cx, cy], narrow) {
  const { view, before } = scene;
  if (view.phase !== "playing" && view.phase !== "finished") return [];
  const last = view.tricks[view.tricks.length - 1] ?? null;
  const lying = view.table ?? last;
  const past = !view.table;
  const cw = narrow ? 54 : 66;
  const ch = 1.4 * cw;
  const [offX, offY] = [cw * 1.3, ch * 0.62];
  /** @type {SVGElement[]} */
  const parts = [];
  if (!past || !last) {
    for (const seat of [0, 1, 2, 3]) {
      const [dx, dy] = TOWARD[placeOf(view, seat)] ?? [0, 0];
      const [x, y] = [cx + dx * offX - cw / 2, cy + dy * offY - ch / 2];
      if (!view.seats[seat]?.away)
        parts.push(rect(x, y, cw, ch, { rx: 0.11 * cw, class: "felt-slot" }));
    }
  }
  if (!lying) return parts;
  const known = new Set(
    [...(before?.table?.cards ?? []), ...(before?.tricks ?? []).flatMap((t) => t.cards)].map(
      ([, card]) => card,
    ),
  );
  lying.cards.forEach(([seat, card], index) => {
    const [dx, dy] = TOWARD[placeOf(view, seat)] ?? [0, 0];
    const [x, y] = [cx + dx * offX - cw / 2, cy + dy * offY - ch / 2];
    const best = seat === lying.winner;
    const face = cardFace(card, x, y, cw, `${best ? "card-best" : ""} ${past ? "card-past" : ""}`);
    face.setAttribute("role", "img");
    face.setAttribute("aria-label", `${view.names[seat]} played ${cardName(card)}`);
    if (before && !known.has(card)) glide(face, dx * 110, dy * 110, { ms: 280, fade: true });
    parts.push(face);
    if (index === 0 && !past) {
      parts.push(label(x + cw / 2, y - 9, "led", { class: "felt-words" }));
    }
  });
  const words = past
    ? `${tell(view, lying.winner, "took", "took")} ${pointsOf(lying.points)}`
    : pointsOf(lying.points);
  parts.push(label(cx, cy + offY + ch / 2 + 15, words, { class: "felt-words" }));
  return parts;
}

/** @param {number} points */
const pointsOf = (points) => `${points} point${points === 1 ? "" : "s"}`;

// --- bids and other actions -----------------------------------------------------------------------

/**
 * Return the buttons for everything but cards.
 *
 * @param {Scene} scene
 */
function controls(scene) {
  const { view, open } = scene;
  const from = view.actions;
  const rest = [...open].filter((action) => action >= (from.pass ?? 32));
  if (!rest.length) return null;
  const suits = rest.filter(
    (action) => action >= (from.choose ?? 0) && action < (from.choose ?? 0) + 4,
  );
  const bids = rest.filter((action) => /^bid \d+$/.test(scene.words(action)));
  const others = rest.filter((action) => !suits.includes(action) && !bids.includes(action));
  const title = {
    bidding: "Your bid",
    trump: "Choose the trump",
    doubling: "Your answer",
    single: "A single hand?",
  }[String(view.phase)];
  const keys = html("div", { class: "felt-keys", "data-arrows": true });
  for (const action of bids) {
    keys.append(actionButton(scene, action, scene.words(action).slice(4), "bid-key"));
  }
  for (const action of suits) keys.append(suitKey(scene, action, action - (from.choose ?? 0)));
  for (const action of others)
    keys.append(actionButton(scene, action, spoken(view, action, scene), "wide-key"));
  return html(
    "div",
    {
      class: `felt-actions ${view.phase === "playing" ? "felt-low" : ""}`,
      role: "group",
      "aria-label": title ?? "other moves",
    },
    title && html("strong", {}, title),
    keys,
  );
}

/**
 * @param {Scene} scene
 * @param {number} action
 * @param {number} suit
 */
function suitKey(scene, action, suit) {
  const key = actionButton(scene, action, "", "suit-key");
  key.append(picture(34, 34, { "aria-hidden": true }, suitSign(suit, 17, 17, 26)));
  return key;
}

/**
 * Return what a button says.
 *
 * @param {TricksView} view
 * @param {number} action
 * @param {Scene} scene
 */
function spoken(view, action, scene) {
  const said = scene.words(action);
  /** @type {Record<string, string>} */
  const longer = {
    reveal: "Ask for the trump",
    declare: "Declare the marriage",
    ask_redeal: "Ask for a redeal",
    seventh_card: "Seventh card",
    single_hand: "Single hand",
    double: "Double",
    redouble: "Redouble",
    pass: "Pass",
  };
  const kind = Object.keys(longer).find((name) => view.actions[name] === action);
  return kind ? longer[kind] : said;
}
