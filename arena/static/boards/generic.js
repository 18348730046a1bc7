/**
 * Any game: its text drawing, and the legal moves in words.
 *
 * Each move is a button with `data-action`; arrow keys go from move to move.
 *
 * @module
 */

import { mountBoard, moveList } from "./frame.js";
import { html } from "./svg.js";

/** @typedef {import("./types.js").View} View */

/** @type {import("./types.js").Mount} */
export function mount(element, props) {
  return mountBoard(element, props, "generic", draw);
}

/** @param {import("./frame.js").Scene<View>} scene */
function draw(scene) {
  const { view, props, open } = scene;
  const text = view.text ?? JSON.stringify(view, null, 2);
  const parts = [
    html("div", { class: "stage" }, html("pre", { class: "drawing" }, ...coloured(text))),
  ];
  if (props.lastMove) {
    parts.push(html("p", { class: "caption last-move" }, `last move: ${props.lastMove.words}`));
  }
  if (open.size) parts.push(moveList(scene, [...open], "your moves"));
  return parts;
}

/** @type {Record<string, string>} */
const CODES = {
  1: "t-bold",
  31: "t-red",
  32: "t-green",
  33: "t-yellow",
  34: "t-blue",
  35: "t-magenta",
  36: "t-cyan",
};

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[([0-9;]*)m`); // of a terminal

/**
 * Return a text with terminal colours as elements.
 *
 * @param {string} text
 */
function coloured(text) {
  const pieces = text.split(COLOUR);
  let look = "";
  return pieces.map((piece, index) => {
    if (index % 2 === 0) return look ? html("span", { class: look }, piece) : piece;
    const codes = piece.split(";").filter((code) => code in CODES);
    look = codes.map((code) => CODES[code]).join(" ");
    return "";
  });
}
