/**
 * The first page: all games, and what was played last.
 *
 * @module
 */

import { api } from "../api.js";
import { h, put, when } from "../dom.js";

/** @type {import("../app.js").Page} */
export async function homePage(element) {
  document.title = "bidarena";
  const [{ games }, { tables }] = await Promise.all([api("catalogue"), api("tables")]);
  /** @type {Record<string, string>} */
  const titles = Object.fromEntries(games.map((/** @type {any} */ g) => [g.game, g.title]));
  put(
    element,
    h("h1", {}, "Choose a game"),
    h("div", { class: "cards" }, ...games.map(card)),
    tables.length > 0 && h("h2", {}, "Played last"),
    tables.length > 0 && h("ul", { class: "list" }, ...tables.map((/** @type {any} */ t) => row(t, titles))),
  );
}

/** @param {any} game */
function card(game) {
  return h(
    "article",
    { class: "card" },
    h("h3", {}, game.title),
    h("p", {}, game.about),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button", href: `/new/${game.game}` }, "Play"),
      h("a", { class: "button quiet", href: `/new/${game.game}?watch` }, "Watch"),
    ),
  );
}

/** @param {any} table @param {Record<string, string>} titles */
function row(table, titles) {
  const path = table.over || table.origin ? "analysis" : "game";
  const state = table.origin ? `from ${table.origin}` : table.over ? "over" : table.you === null ? "being watched" : "in progress";
  return h(
    "li",
    {},
    h("a", { href: `/${path}/${table.id}` }, titles[table.game] ?? table.game),
    h("span", { class: "grow" }, table.players.join(" · ")),
    h("span", { class: "dim" }, `${table.moves} moves, ${state}`),
    h("span", { class: "dim" }, when(table.changed)),
  );
}
