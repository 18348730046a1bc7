/**
 * Tournaments: ratings, who beats whom, exact measures, and every game to look at.
 *
 * @module
 */

import { api } from "../api.js";
import { h, notice, put, signed, when } from "../dom.js";

/** @type {import("../app.js").Page} */
export async function tournamentsPage(element) {
  document.title = "Tournaments · bidarena";
  const { tournaments } = await api("tournaments");
  put(
    element,
    h("h1", {}, "Tournaments"),
    tournaments.length === 0 && h("p", { class: "lead" }, "There is none yet. ", h("code", {}, "bidarena tournament GAME"), " plays one and keeps it in runs/."),
    h("ul", { class: "list" }, ...tournaments.map((/** @type {any} */ t) =>
      h("li", {}, h("a", { href: `/tournaments/${t.key}` }, t.title), h("span", { class: "grow" }, t.bots.join(" · ")), h("span", { class: "dim" }, `${t.games.toLocaleString("en")} games`), h("span", { class: "dim" }, when(t.changed))))),
  );
}

/** @type {import("../app.js").Page} */
export async function tournamentPage(element, key) {
  const found = await api(`tournaments/${encodeURIComponent(key)}`);
  document.title = `${found.title}, tournament · bidarena`;
  const names = found.bots.map((/** @type {any} */ bot) => bot.bot);
  const truths = found.bots.map(() => h("td", { class: "dim" }, "–"));
  const pairs = new Map();
  for (const pair of found.pairs) {
    pairs.set(`${pair.one}\n${pair.two}`, pair.win_share);
    pairs.set(`${pair.two}\n${pair.one}`, 1 - pair.win_share);
  }
  const ratings = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...["", "bot", "rating", "± 95 %", "mean return", "won", "drawn", "lost", "exact"].map((t, k) => h("th", { class: k === 1 ? "word" : null }, t)))),
    h("tbody", {}, ...found.bots.map((/** @type {any} */ bot, /** @type {number} */ k) =>
      h("tr", {}, h("td", { class: "dim" }, k + 1), h("td", { class: "word" }, bot.bot), h("td", {}, signed(bot.rating, 0)), h("td", { class: "dim" }, ((bot.rating_95[1] - bot.rating_95[0]) / 2).toFixed(0)), h("td", {}, signed(bot.mean_return, 3)), h("td", {}, bot.wins), h("td", {}, bot.draws), h("td", {}, bot.losses), truths[k]))),
  );
  const cross = h(
    "table",
    { class: "cross" },
    h("thead", {}, h("tr", {}, h("th", {}), ...names.map((/** @type {string} */ _, /** @type {number} */ k) => h("th", {}, k + 1)))),
    h("tbody", {}, ...names.map((/** @type {string} */ one, /** @type {number} */ k) =>
      h("tr", {}, h("th", { class: "word" }, `${k + 1} ${one}`), ...names.map((/** @type {string} */ two) => cell(pairs.get(`${one}\n${two}`)))))),
  );
  const games = h("ul", { class: "list" }, ...found.listed.map((/** @type {any} */ g) =>
    h("li", {}, h("button", { class: "link", type: "button", onclick: () => open(g) }, `deal ${g.deal + 1}, seating ${g.rotation + 1}`), h("span", { class: "grow" }, found.lineups[g.lineup].join(" · ")))));

  /** @param {any} which */
  async function open(which) {
    try {
      const { id } = await api(`tournaments/${key}/open`, which);
      dispatchEvent(new CustomEvent("arena:go", { detail: `/analysis/${id}` }));
    } catch (wrong) {
      notice(wrong);
    }
  }
  async function measure() {
    button.disabled = true;
    for (const [k, name] of names.entries()) {
      put(truths[k], "…");
      try {
        const { truth } = await api(`tournaments/${key}/truth?bot=${encodeURIComponent(found.order.indexOf(name))}`);
        put(truths[k], truth ? `${truth.value.toFixed(4)}${truth.exact ? "" : " (bound)"}` : "–");
        if (truth) truths[k].title = truth.name;
      } catch (wrong) {
        put(truths[k], "–");
        notice(wrong);
      }
    }
  }
  const button = h("button", { class: "button quiet", type: "button", onclick: measure }, "Measure exactly");
  put(
    element,
    h("h1", {}, found.title, " ", h("span", { class: "dim" }, "tournament")),
    h("p", { class: "lead" }, `${found.games.toLocaleString("en")} games, ${found.games_per_lineup.toLocaleString("en")} of each line-up.`),
    h("section", { class: "panel scroll" }, h("h2", {}, "Ratings"), ratings, found.measurable && h("p", { class: "actions" }, button, h("span", { class: "note" }, "What a best response wins, or the share of decisions that keep the value."))),
    h("section", { class: "panel scroll" }, h("h2", {}, "Who beats whom"), cross, h("p", { class: "note" }, "How often the row did better than the column, in %; a draw counts half.")),
    h("section", { class: "panel" }, h("h2", {}, "Games"), games),
  );
}

/** @param {number | undefined} share */
function cell(share) {
  if (share === undefined) return h("td", { class: "dim" }, "·");
  const td = h("td", {}, (100 * share).toFixed(0));
  td.style.setProperty("--share", String(share));
  td.className = share >= 0.5 ? "better" : "worse";
  return td;
}
