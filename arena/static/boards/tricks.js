/**
 * A card table for four: hands, auction, trump, tricks and points. The viewer sits below.
 *
 * Cards of the viewer's hand that may be played are keys with `data-action`; bids, suits and all
 * other actions are buttons with `data-action`. Arrow keys go from one to the next.
 *
 * @module
 */

import { cardFace, cardName, cardReverse, suitOf, suitSign, SUITS } from "./cards.js";
import { actionButton, makeKey, mountBoard, sideOf, statusLine, tell } from "./frame.js";
import { glide, html, label, picture, rect, svg } from "./svg.js";
import { factPanels } from "./tricks_facts.js";

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
    own: { bidding: "your bid", trump: "your trump", playing: "your card" }[String(view.phase)] ?? "your answer",
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
    playing: view.asked ? ["asked for the trump", "asked for the trump"] : ["play a card", "plays a card"],
  };
  const [plain, other] = doing[view.phase] ?? ["move", "moves"];
  return tell(view, view.mover, plain, other);
}

/**
 * Return the place of a seat: 0 below, 1 left, 2 above, 3 right.
 *
 * @param {TricksView} view
 * @param {number} seat
 */
const placeOf = (view, seat) => (seat - (view.seat ?? 0) + 4) % 4;

/**
 * Return the table with everything that lies on it.
 *
 * @param {Scene} scene
 * @param {number} width
 */
function felt(scene, width) {
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
  return html("div", { class: "felt-box" }, canvas, controls(scene));
}

// --- the trick ------------------------------------------------------------------------------------

/** @type {Point[]} */
const TOWARD = [[0, 1], [-1, 0], [0, -1], [1, 0]]; // from the middle to each place

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
      if (!view.seats[seat]?.away) parts.push(rect(x, y, cw, ch, { rx: 0.11 * cw, class: "felt-slot" }));
    }
  }
  if (!lying) return parts;
  const known = new Set([...(before?.table?.cards ?? []), ...(before?.tricks ?? []).flatMap((t) => t.cards)].map(([, card]) => card));
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

// --- the players ----------------------------------------------------------------------------------

/**
 * Return a player's plate with bid and what they have shown, and the cards of others.
 *
 * @param {Scene} scene
 * @param {number} seat
 * @param {number} width
 * @param {number} height
 * @param {boolean} narrow
 * @returns {SVGElement[]}
 */
function player(scene, seat, width, height, narrow) {
  const { view } = scene;
  const place = placeOf(view, seat);
  const at = view.seats[seat];
  if (!at) return [];
  const handTop = height - (narrow ? 100 : 126);
  const mid = narrow ? 216 : 228;
  /** @type {Point[]} */
  const plates = [
    [width / 2, handTop - 22],
    [narrow ? 44 : 62, mid - 78],
    [width / 2, at.hand ? 84 : 86],
    [width - (narrow ? 44 : 62), mid - 78],
  ];
  const [middle, y] = plates[place] ?? [0, 0];
  const parts = place ? cardsOf(scene, seat, place, width, mid, narrow) : [];
  const name = view.names[seat] ?? "";
  const most = place % 2 ? (narrow ? 9 : 12) : 18;
  const short = name.length > most ? `${name.slice(0, most - 1)}…` : name;
  const half = 14 + 3.9 * short.length;
  // A button beside the hand needs the room on the right.
  const aside = place === 0 && narrow && scene.open.size > 0 && view.phase === "playing";
  const x = aside ? half + 46 : Math.min(Math.max(middle, half + 8), width - half - 8);
  const side = sideOf(view, seat);
  const moving = view.mover === seat;
  const look = `plate-seat side${side} ${moving ? "plate-moving" : ""} ${at.away ? "plate-away" : ""}`;
  parts.push(
    svg(
      "g",
      { class: look },
      rect(x - half, y - 13, 2 * half, 26, { rx: 13, class: "plate-paper" }),
      label(x, y + 0.5, short, { class: "plate-name" }),
    ),
  );
  const notes = callNotes(view, seat);
  const signs = at.lacks.map((suit) => suit);
  let dx = place % 2 ? 0 : half + 8;
  let dy = place % 2 ? -28 : 0;
  for (const note of notes) {
    const wide = 14 + 6.6 * note.words.length;
    const bx = place % 2 ? x - wide / 2 : x - dx - wide;
    parts.push(
      svg(
        "g",
        { class: `note ${note.look}` },
        rect(bx, y + dy - 11, wide, 22, { rx: 11, class: "note-paper" }),
        label(bx + wide / 2, y + dy + 0.5, note.words, { class: "note-words" }),
      ),
    );
    if (place % 2) dy -= 25;
    else dx += wide + 6;
  }
  if (signs.length) {
    const wide = 26 + 15 * signs.length;
    const bx = place % 2 ? x - wide / 2 : x + half + 8;
    const by = place % 2 ? mid + 84 : y;
    parts.push(
      svg(
        "g",
        { class: "note note-lacks", role: "img", "aria-label": `${name} has no ${signs.map((s) => SUITS[s]).join(", ")}` },
        rect(bx, by - 10, wide, 20, { rx: 10, class: "note-paper" }),
        label(bx + 15, by + 0.5, "no", { class: "note-words" }),
        ...signs.map((suit, k) => suitSign(suit, bx + 32 + 15 * k, by, 12)),
      ),
    );
  }
  return parts;
}

/**
 * Return what a plate says beside a name: the last call in the auction, the contract, a marriage.
 *
 * @param {TricksView} view
 * @param {number} seat
 */
function callNotes(view, seat) {
  const notes = [];
  const call = view.seats[seat]?.call ?? null;
  if (view.phase === "bidding" && call !== null) {
    notes.push({ words: call ? String(call) : "pass", look: call ? "note-bid" : "note-pass" });
  }
  if (view.phase !== "bidding" && view.declarer === seat) {
    notes.push({ words: view.single === null ? String(view.contract) : "single", look: "note-bid" });
  }
  if (view.married === seat) notes.push({ words: "K+Q", look: "note-bid" });
  if (view.seats[seat]?.away) notes.push({ words: "sits out", look: "note-pass" });
  return notes;
}

/**
 * Return the cards of another player: face up for a spectator, else face down.
 *
 * @param {Scene} scene
 * @param {number} seat
 * @param {number} place
 * @param {number} width
 * @param {number} mid
 * @param {boolean} narrow
 * @returns {SVGElement[]}
 */
function cardsOf(scene, seat, place, width, mid, narrow) {
  const { view } = scene;
  const at = view.seats[seat];
  if (!at) return [];
  const faces = at.hand ? sorted([...at.hand, ...(at.to_come ?? [])]) : null;
  const count = faces ? faces.length : at.cards;
  const cw = faces ? (narrow ? 26 : 31) : 34;
  const side = sideOf(view, seat);
  const aside = new Set(at.to_come ?? []);
  /** @type {SVGElement[]} */
  const cards = [];
  for (let k = 0; k < count; k += 1) {
    const span = place % 2 ? (faces ? 19 : 14) : faces ? cw + 2 : 22;
    const shift = (k - (count - 1) / 2) * span;
    const x = place === 2 ? width / 2 + shift - cw / 2 : place === 1 ? (narrow ? 44 : 62) - cw / 2 : width - (narrow ? 44 : 62) - cw / 2;
    const y = place === 2 ? 18 : mid + 12 + shift - 0.7 * cw;
    const card = faces?.[k];
    if (card === undefined) cards.push(cardReverse(side, x, y, cw));
    else if (view.phase === "playing" && scene.open.has(card)) {
      cards.push(makeKey(scene, cardFace(card, x, y, cw, "card-can card-best"), card));
    } else cards.push(cardFace(card, x, y, cw, aside.has(card) ? "card-dim" : ""));
  }
  if (!faces && view.phase !== "playing" && view.phase !== "finished" && view.phase !== "single") {
    const x = place === 2 ? width / 2 + 22 * (count / 2) + 30 : place === 1 ? (narrow ? 44 : 62) : width - (narrow ? 44 : 62);
    const y = place === 2 ? 42 : mid + 12 + 7 * count + 34;
    cards.push(label(x, y, "+4", { class: "felt-words" }));
  }
  return cards;
}

/**
 * Return cards suit by suit, black and red in turn.
 *
 * @param {number[]} cards
 */
function sorted(cards) {
  const order = [0, 1, 3, 2];
  return [...cards].sort(
    (a, b) => order.indexOf(suitOf(a)) - order.indexOf(suitOf(b)) || (b & 7) - (a & 7),
  );
}

/**
 * Return the viewer's hand; the cards that may be played are raised.
 *
 * @param {Scene} scene
 * @param {number} width
 * @param {number} height
 * @param {boolean} narrow
 */
function ownHand(scene, width, height, narrow) {
  const { view } = scene;
  const own = view.seats[view.seat ?? 0];
  const cards = sorted([...(own?.hand ?? []), ...(own?.to_come ?? [])]);
  const aside = new Set(own?.to_come ?? []);
  const cw = narrow ? 54 : 72;
  const step = Math.min(cw + 4, (width - 28 - cw) / Math.max(cards.length - 1, 1));
  const left = width / 2 - (step * (cards.length - 1) + cw) / 2;
  const top = height - (narrow ? 92 : 118);
  const choosing = view.phase === "playing" && scene.open.size > 0;
  const drawn = cards.map((card, k) => {
    const can = scene.open.has(card) && view.phase === "playing";
    const dim = (choosing && !can) || aside.has(card);
    const [x, y] = [left + k * step, top - (can ? 8 : 0)];
    const face = cardFace(card, x, y, cw, dim ? "card-dim" : can ? "card-can" : "");
    if (can) return makeKey(scene, face, card);
    face.setAttribute("role", "img");
    face.setAttribute("aria-label", cardName(card));
    return face;
  });
  if (view.seat !== null && ["bidding", "doubling", "trump"].includes(view.phase)) {
    drawn.push(label(left + step * (cards.length - 1) + cw + 26, top + 0.7 * cw, "+4", { class: "felt-words" }));
  }
  return drawn;
}

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
  const suits = rest.filter((action) => action >= (from.choose ?? 0) && action < (from.choose ?? 0) + 4);
  const bids = rest.filter((action) => /^bid \d+$/.test(scene.words(action)));
  const others = rest.filter((action) => !suits.includes(action) && !bids.includes(action));
  const title = { bidding: "Your bid", trump: "Choose the trump", doubling: "Your answer", single: "A single hand?" }[String(view.phase)];
  const keys = html("div", { class: "felt-keys", "data-arrows": true });
  for (const action of bids) {
    keys.append(actionButton(scene, action, scene.words(action).slice(4), "bid-key"));
  }
  for (const action of suits) keys.append(suitKey(scene, action, action - (from.choose ?? 0)));
  for (const action of others) keys.append(actionButton(scene, action, spoken(view, action, scene), "wide-key"));
  return html(
    "div",
    { class: `felt-actions ${view.phase === "playing" ? "felt-low" : ""}`, role: "group", "aria-label": title ?? "other moves" },
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
