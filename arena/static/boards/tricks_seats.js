/**
 * The four players at the card table: names, bids, what they have shown, and their cards.
 *
 * @module
 */

import { cardFace, cardName, cardReverse, suitOf, suitSign, SUITS } from "./cards.js";
import { makeKey, nameOf, sideOf } from "./frame.js";
import { label, rect, svg } from "./svg.js";

/** @typedef {import("./types.js").TricksView} TricksView */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Scene<TricksView>} Scene */

/**
 * Return the place of a seat: 0 below, 1 left, 2 above, 3 right.
 *
 * @param {TricksView} view
 * @param {number} seat
 */
export const placeOf = (view, seat) => (seat - (view.seat ?? 0) + 4) % 4;

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
export function player(scene, seat, width, height, narrow) {
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
  const short = nameOf(view, seat, narrow ? 9 : place % 2 ? 12 : 18);
  const half = 14 + 3.9 * short.length;
  // A button beside the hand needs the room on the right.
  const button = [...scene.open].some((action) => action >= (view.actions.pass ?? 32));
  const aside = place === 0 && narrow && button && view.phase === "playing";
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
        { class: `seat-note ${note.look}` },
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
        {
          class: "seat-note note-lacks",
          role: "img",
          "aria-label": `${name} has no ${signs.map((s) => SUITS[s]).join(", ")}`,
        },
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
    notes.push({
      words: view.single === null ? String(view.contract) : "single",
      look: "note-bid",
    });
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
    const x =
      place === 2
        ? width / 2 + shift - cw / 2
        : place === 1
          ? (narrow ? 44 : 62) - cw / 2
          : width - (narrow ? 44 : 62) - cw / 2;
    const y = place === 2 ? 18 : mid + 12 + shift - 0.7 * cw;
    const card = faces?.[k];
    if (card === undefined) cards.push(cardReverse(side, x, y, cw));
    else if (view.phase === "playing" && scene.open.has(card)) {
      cards.push(makeKey(scene, cardFace(card, x, y, cw, "card-can card-best"), card));
    } else cards.push(cardFace(card, x, y, cw, aside.has(card) ? "card-dim" : ""));
  }
  if (!faces && view.phase !== "playing" && view.phase !== "finished" && view.phase !== "single") {
    const x =
      place === 2
        ? width / 2 + 22 * (count / 2) + 30
        : place === 1
          ? narrow
            ? 44
            : 62
          : width - (narrow ? 44 : 62);
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
export function ownHand(scene, width, height, narrow) {
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
    drawn.push(
      label(left + step * (cards.length - 1) + cw + 26, top + 0.7 * cw, "+4", {
        class: "felt-words",
      }),
    );
  }
  return drawn;
}
