/**
 * Playing cards. Suits are 0 spades, 1 diamonds, 2 hearts, 3 clubs; a card is 8 * suit + strength.
 *
 * @module
 */

import { label, rect, svg } from "./svg.js";

export const RANKS = ["7", "8", "Q", "K", "10", "A", "9", "J"]; // ascending
export const SUITS = ["spades", "diamonds", "hearts", "clubs"];

const SIGNS = [
  "M0-.5C.1-.3.46-.1.46.14.46.3.33.39.2.36.13.34.07.29.04.22.05.33.09.43.17.5H-.17C-.09.43-.05.33-.04.22-.07.29-.13.34-.2.36-.33.39-.46.3-.46.14-.46-.1-.1-.3 0-.5Z",
  "M0-.5C.1-.3.22-.13.38 0 .22.13.1.3 0 .5-.1.3-.22.13-.38 0-.22-.13-.1-.3 0-.5Z",
  "M0 .5C-.1.28-.48.06-.48-.2-.48-.37-.36-.46-.24-.46-.13-.46-.04-.39 0-.29.04-.39.13-.46.24-.46.36-.46.48-.37.48-.2.48.06.1.28 0 .5Z",
  "M0-.5A.215.215 0 0 1 .16-.14 .225.225 0 1 1 .04.22C.05.33.09.43.17.5H-.17C-.09.43-.05.33-.04.22A.225.225 0 1 1-.16-.14 .215.215 0 0 1 0-.5Z",
];

/** @param {number} card */
export const suitOf = (card) => card >> 3;

/** @param {number} card */
export const rankOf = (card) => RANKS[card & 7] ?? "";

/** @param {number} card */
export const cardName = (card) => `${rankOf(card)} of ${SUITS[suitOf(card)]}`;

/** @param {number} suit */
export const suitClass = (suit) => (suit === 1 || suit === 2 ? "suit-red" : "suit-black");

/**
 * Return the sign of a suit, about `size` high, with its middle at the point.
 *
 * @param {number} suit
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} [look]
 */
export function suitSign(suit, x, y, size, look = suitClass(suit)) {
  const transform = `translate(${x} ${y}) scale(${size})`;
  return svg("path", { d: SIGNS[suit] ?? "", transform, class: `sign ${look}` });
}

/**
 * Return a card, face up, with its upper left corner at the point.
 *
 * @param {number} card
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {string} [look]
 */
export function cardFace(card, x, y, width, look = "") {
  const height = 1.4 * width;
  const suit = suitOf(card);
  const ink = suitClass(suit);
  const small = width < 34;
  const rank = rankOf(card);
  const parts = small
    ? [
        label(x + width / 2, y + 0.3 * height, rank, {
          class: `rank ${ink}`,
          "font-size": 0.36 * height,
        }),
        suitSign(suit, x + width / 2, y + 0.71 * height, 0.3 * height),
      ]
    : [
        label(x + 0.22 * width, y + 0.17 * height, rank, {
          class: `rank ${ink}`,
          "font-size": 0.22 * height,
        }),
        suitSign(suit, x + 0.22 * width, y + 0.37 * height, 0.15 * height),
        suitSign(suit, x + 0.62 * width, y + 0.65 * height, 0.4 * height),
      ];
  return svg(
    "g",
    { class: `playing-card ${look}` },
    rect(x, y + 2, width, height, { rx: 0.11 * width, class: "shadow" }),
    rect(x, y, width, height, { rx: 0.11 * width, class: "card-paper" }),
    ...parts,
  );
}

/**
 * Return a card, face down.
 *
 * @param {number} side whose colour it has
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
export function cardReverse(side, x, y, width) {
  const height = 1.4 * width;
  const [cx, cy] = [x + width / 2, y + height / 2];
  const [dx, dy] = [width / 2 - 5, height / 2 - 5];
  /** @param {number} k */
  const diamond = (k) =>
    `M${cx - k * dx} ${cy}L${cx} ${cy - k * dy}L${cx + k * dx} ${cy}L${cx} ${cy + k * dy}Z`;
  return svg(
    "g",
    { class: "playing-card" },
    rect(x, y + 1.5, width, height, { rx: 4, class: "shadow" }),
    rect(x, y, width, height, { rx: 4, class: "card-paper" }),
    rect(x + 2, y + 2, width - 4, height - 4, { rx: 2.5, class: `fill${side}` }),
    svg("path", { d: diamond(1), class: "reverse-light" }),
    svg("path", { d: diamond(0.6), class: `fill${side}` }),
  );
}
