/**
 * The table of all moves of a position: what each is worth, and how often perfect play chooses it.
 *
 * @module
 */

import { h, sentence, signed } from "./dom.js";

/** @typedef {{action: number, words: string, value: number | null, worst?: number | null, share: number | null, visits: number | null, spread: number}} Advice */
/** @typedef {{source: string, value: string, share: string, exact: boolean, iterations: number, moves: Advice[]}} Hint */

const SHOWN = 40;

/**
 * @param {{hint: Hint, spread: number}} judgement
 * @param {{played?: number | null, onChoose?: ((action: number) => void) | null}} [how]
 */
export function adviceTable(judgement, how = {}) {
  const { hint } = judgement;
  const values = hint.moves.some((move) => move.value !== null);
  const shares = hint.moves.some((move) => move.share !== null);
  const mixed = hint.exact && hint.moves.filter((move) => (move.share ?? 0) > 0.001).length > 1;
  const rows = hint.moves.slice(0, SHOWN).map((move) => {
    const name = how.onChoose
      ? h("button", { class: "link", type: "button", onclick: () => how.onChoose?.(move.action) }, move.words)
      : move.words;
    return h(
      "tr",
      { class: move.action === how.played ? "played" : null },
      h("td", { class: "word" }, name, move.action === how.played && h("span", { class: "dim" }, " played")),
      values && h("td", {}, move.value === null ? "–" : signed(move.value), !hint.exact && move.value !== null && h("span", { class: "dim" }, ` ± ${move.spread.toFixed(2)}`)),
      shares && h("td", { class: "share" }, bar(move.share ?? 0)),
    );
  });
  return h(
    "div",
    { class: "advice" },
    h("p", { class: "note" }, sentence(hint.exact ? hint.source : `estimated by ${hint.source}`), mixed ? " The best strategy is mixed." : ""),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", { class: "word" }, "move"), values && h("th", { title: hint.value }, "value"), shares && h("th", { title: hint.share }, hint.exact ? "best strategy" : "search"))),
      h("tbody", {}, ...rows),
    ),
    hint.moves.length > SHOWN && h("p", { class: "note" }, `and ${hint.moves.length - SHOWN} more`),
  );
}

/** @param {number} share */
export function bar(share) {
  const fill = h("i", {});
  fill.style.width = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return h("span", { class: "bar" }, h("span", { class: "track" }, fill), ` ${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`);
}
