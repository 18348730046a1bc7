/**
 * The panels beside the card table: contract, trump, points, last trick, auction.
 *
 * @module
 */

import { cardFace, cardName, suitSign, SUITS } from "./cards.js";
import { nameOf, sideOf } from "./frame.js";
import { html, label, picture, rect, svg } from "./svg.js";

/** @typedef {import("./types.js").TricksView} TricksView */

/**
 * Return all panels.
 *
 * @param {TricksView} view
 * @param {TricksView | null} before
 */
export function factPanels(view, before) {
  const rules = view.rules.length
    ? [
        panel(
          "rules",
          "house rules",
          "",
          html("span", { class: "fact-small" }, view.rules.join(", ")),
        ),
      ]
    : [];
  return [
    contract(view),
    trump(view, before),
    points(view),
    lastTrick(view),
    auction(view),
    ...rules,
  ];
}

/**
 * @param {string} name
 * @param {string} title
 * @param {string} note
 * @param {...(Node | string | null | false)} content
 */
function panel(name, title, note, ...content) {
  return html(
    "section",
    { class: `fact fact-${name}` },
    html(
      "header",
      {},
      html("span", { class: "caption" }, title),
      html("span", { class: "fact-note" }, note),
    ),
    ...content,
  );
}

/** @param {TricksView} view */
function contract(view) {
  const bids = view.calls.filter(([, bid]) => bid > 0);
  const best = Math.max(0, ...bids.map(([, bid]) => bid));
  const leader = bids.filter(([, bid]) => bid === best).pop();
  const holder = view.declarer ?? leader?.[0] ?? null;
  if (holder === null)
    return panel("contract", "highest bid", "", html("span", { class: "fact-none" }, "none yet"));
  const settled = view.declarer !== null;
  const number = view.single !== null ? "single" : String(view.contract ?? best);
  const stake = { 1: "", 2: "doubled", 4: "redoubled" }[view.stake] ?? "";
  const notes = [stake && view.single === null ? stake : ""];
  if (view.single !== null) notes.push("all eight tricks, alone and without trump");
  if (view.married !== null)
    notes.push(`marriage of ${nameOf(view, view.married, 12)}: needs ${view.target}`);
  if (settled && view.target !== null) {
    const left = view.target - (view.points[holder % 2] ?? 0);
    const short = view.over ? "short" : "to go";
    notes.push(left > 0 ? `${left} point${left === 1 ? "" : "s"} ${short}` : "reached");
  }
  return panel(
    "contract",
    settled ? "contract" : "highest bid",
    "",
    html(
      "div",
      { class: "fact-line", "data-side": sideOf(view, holder) },
      html("span", { class: "amount" }, number),
      html("span", {}, `by ${nameOf(view, holder, 12)}`),
    ),
    html("span", { class: "fact-small" }, notes.filter(Boolean).join("; ")),
  );
}

/**
 * @param {TricksView} view
 * @param {TricksView | null} before
 */
function trump(view, before) {
  let [state, more] = ["not chosen", ""];
  if (view.single !== null) [state, more] = ["no trump", "in a single hand"];
  else if (view.revealed_in !== null && view.revealer !== null) {
    [state, more] = [
      "revealed",
      `in trick ${view.revealed_in} by ${nameOf(view, view.revealer, 12)}`,
    ];
  } else if (view.trump_chosen && view.bidder !== null) {
    const whose =
      view.names[view.bidder] === "you"
        ? "known to you only"
        : `known to ${nameOf(view, view.bidder, 12)} only`;
    [state, more] = ["hidden", whose];
  }
  if (view.seventh && view.trump_chosen) more = `the seventh card${more ? `, ${more}` : ""}`;
  const suit = view.trump;
  const said = suit === null ? `the trump is ${state}` : `the trump is ${SUITS[suit]}, ${state}`;
  const card = picture(42, 58, { class: "trump-card", role: "img", "aria-label": said });
  if (suit !== null) {
    card.append(
      rect(1, 1, 40, 56, { rx: 6, class: state === "revealed" ? "trump-open" : "trump-known" }),
      suitSign(suit, 21, 29, 28),
    );
    if (before && before.revealed_in !== view.revealed_in) card.classList.add("appear");
  } else if (state === "hidden") {
    card.append(
      rect(1, 1, 40, 56, { rx: 6, class: "trump-hidden" }),
      svg("circle", { cx: 21, cy: 29, r: 11, class: "trump-question" }),
      label(21, 29.5, "?", { class: "trump-mark" }),
    );
  } else card.append(rect(1, 1, 40, 56, { rx: 6, class: "bid-empty" }));
  return panel(
    "trump",
    "trump",
    "",
    html(
      "div",
      { class: "fact-line" },
      card,
      html(
        "div",
        { class: "fact-words" },
        html("strong", {}, state),
        html("span", { class: "fact-small" }, more),
      ),
    ),
  );
}

/** @param {TricksView} view */
function points(view) {
  const own = (view.seat ?? 0) % 2;
  const lines = [own, 1 - own].map((side) => {
    const seats = [side, side + 2].map((seat) => nameOf(view, seat, 11)).join(", ");
    const shade = side === own ? 0 : 1;
    const won = view.won[side] ?? 0;
    const bar = picture(
      200,
      12,
      { class: "strip", preserveAspectRatio: "none", "aria-hidden": true },
      rect(0, 3, 200, 6, { class: "strip-track" }),
      rect(0, 3, (200 * (view.points[side] ?? 0)) / view.most, 6, { class: `fill${shade}` }),
    );
    const declares = view.target !== null && view.declarer !== null && view.declarer % 2 === side;
    const needs = declares ? `, needs ${view.target}` : "";
    if (declares && view.target !== null) {
      bar.append(rect((200 * view.target) / view.most - 1.5, 0, 3, 12, { class: "target-mark" }));
    }
    return html(
      "div",
      { class: "side-points", "data-side": shade },
      html("strong", { class: "side-names" }, seats),
      html("span", { class: "side-sum" }, String(view.points[side] ?? 0)),
      bar,
      html("span", { class: "fact-small" }, `${won} trick${won === 1 ? "" : "s"}${needs}`),
    );
  });
  return panel("points", "points", `of ${view.most}`, ...lines);
}

/** @param {TricksView} view */
function lastTrick(view) {
  const last = view.tricks[view.tricks.length - 1];
  if (!last)
    return panel("last", "last trick", "", html("span", { class: "fact-none" }, "none yet"));
  const cards = last.cards.map(([seat, card], k) =>
    svg(
      "g",
      {},
      cardFace(card, 2 + 38 * k, 2, 30, seat === last.winner ? "card-best" : ""),
      rect(6 + 38 * k, 48, 22, 3, { rx: 1.5, class: `fill${sideOf(view, seat)}` }),
    ),
  );
  const said = last.cards.map(([seat, card]) => `${view.names[seat]} ${cardName(card)}`).join(", ");
  return panel(
    "last",
    "last trick",
    `${nameOf(view, last.winner, 8)} took ${last.points}`,
    picture(152, 54, { class: "last-cards", role: "img", "aria-label": said }, ...cards),
  );
}

/** @param {TricksView} view */
function auction(view) {
  const order = [0, 1, 2, 3].map((k) => (view.first + k) % 4);
  /** @type {(string | null)[][]} */
  const rows = [];
  let after = 4;
  for (const [seat, bid] of view.calls) {
    const column = order.indexOf(seat);
    if (column <= after || !rows.length) rows.push([null, null, null, null]);
    after = column;
    const row = rows[rows.length - 1];
    if (row) row[column] = bid ? String(bid) : "pass";
  }
  const head = order.map((seat) =>
    html("th", { "data-side": sideOf(view, seat), scope: "col" }, nameOf(view, seat, 8)),
  );
  const body = rows.map((row) =>
    html(
      "tr",
      {},
      ...row.map((call) => html("td", { class: call === "pass" ? "call-pass" : "" }, call ?? "")),
    ),
  );
  return panel(
    "auction",
    "auction",
    view.redeals ? `redeal ${view.redeals}` : "",
    html(
      "table",
      { class: "calls" },
      html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...body),
    ),
  );
}
