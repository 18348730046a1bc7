/**
 * A table at which everybody bids one card for a pot: the pot, the items to come, all hands.
 *
 * Each card of the viewer's hand is a button with `data-action`; arrow keys go from card to card.
 *
 * @module
 */

import { actionButton, mountBoard, nameOf, outcome, sideOf, statusLine, tell } from "./frame.js";
import { glide, html, label, picture, rect, svg } from "./svg.js";

/** @typedef {import("./types.js").TableView} TableView */
/** @typedef {import("./types.js").TablePlayer} TablePlayer */
/** @typedef {import("./frame.js").Scene<TableView>} Scene */

/** @type {import("./types.js").Mount<TableView>} */
export function mount(element, props) {
  return mountBoard(element, props, "auction_table", draw);
}

/** @param {number} value */
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));

/** @param {Scene} scene */
function draw(scene) {
  const { view } = scene;
  const viewer = view.seat ?? 0;
  const count = view.players.length;
  const others = Array.from({ length: count - 1 }, (_, k) => (viewer + 1 + k) % count);
  const waiting = view.mover === null ? "" : tell(view, view.mover, "are bidding", "is bidding");
  const status = statusLine(scene, {
    progress: view.over
      ? `${view.rounds} rounds played`
      : `round ${view.round + 1} of ${view.rounds}`,
    own: "your bid",
    task: "play one of your cards",
    waiting,
    reason: [viewer, ...others].map((seat) => number(view.players[seat]?.bank ?? 0)).join(" : "),
  });
  return [status, ...others.map((seat) => row(scene, seat)), table(scene), row(scene, viewer)];
}

/**
 * Return a player: name, bank, hand, and the bid beside it.
 *
 * @param {Scene} scene
 * @param {number} seat
 */
function row(scene, seat) {
  const { view } = scene;
  const player = view.players[seat];
  if (!player) throw new RangeError(`no player ${seat}`);
  const side = sideOf(view, seat);
  const mine = seat === (view.seat ?? 0);
  const cards = view.cards.map((value, index) => hand(scene, seat, value, index));
  return html(
    "div",
    {
      class: `player ${mine ? "player-own" : ""}`,
      "data-side": side,
      "data-moving": view.mover === seat,
      "data-won": view.winners.includes(seat),
    },
    html(
      "div",
      { class: "player-name" },
      html("strong", {}, nameOf(view, seat, 14)),
      html(
        "span",
        { class: "caption" },
        "bank ",
        html("b", { class: "bank" }, number(player.bank)),
      ),
    ),
    html(
      "div",
      {
        class: "hand",
        "data-arrows": true,
        role: "group",
        "aria-label": `cards of ${view.names[seat]}`,
      },
      ...cards,
    ),
    bid(scene, player, side),
  );
}

/**
 * Return a card of a hand: a button if it may be played, a picture otherwise, an empty place if gone.
 *
 * @param {Scene} scene
 * @param {number} seat
 * @param {number} value
 * @param {number} index
 */
function hand(scene, seat, value, index) {
  const { view } = scene;
  const player = view.players[seat];
  const side = sideOf(view, seat);
  if (!player?.hand.includes(index))
    return html("span", { class: "card-slot" }, numberCard("", side, "gone"));
  const chosen = player.sealed && player.bid === index;
  if (seat === (view.seat ?? view.mover) && scene.open.has(index)) {
    const button = actionButton(scene, index, "", "card-key");
    button.append(numberCard(number(value), side, "held"));
    return button;
  }
  return html(
    "span",
    { class: "card-slot" },
    numberCard(number(value), side, chosen ? "chosen" : "held"),
  );
}

/**
 * Return the place of a player's bid in this round, face down unless the viewer knows it.
 *
 * @param {Scene} scene
 * @param {TablePlayer} player
 * @param {number} side
 */
function bid(scene, player, side) {
  const { view } = scene;
  if (!player.sealed) return html("div", { class: "player-bid" });
  const value = player.bid === null ? undefined : view.cards[player.bid];
  const card =
    value === undefined ? numberCard("", side, "back") : numberCard(number(value), side, "chosen");
  return html(
    "div",
    { class: "player-bid" },
    html("span", { class: "caption" }, "bid is in"),
    card,
  );
}

/**
 * Return the middle of the table: the pot, the items to come, and how the last round went.
 *
 * @param {Scene} scene
 */
function table({ view, before }) {
  const pot = picture(
    74,
    96,
    { class: "pot", role: "img", "aria-label": `the pot is ${view.pot}` },
    rect(1.5, 1.5, 71, 93, { rx: 10, class: `pot-card ${view.pot < 0 ? "pot-negative" : ""}` }),
    label(37, 20, "pot", { class: "pot-word" }),
    label(37, 55, view.over ? "–" : view.pot, { class: "pot-number" }),
    view.carried !== 0 && label(37, 83, `${view.carried} carried`, { class: "pot-note" }),
  );
  if (before && before.round !== view.round) glide(pot, -14, 0, { fade: true });
  const items = view.items.map((value, index) => {
    const due = view.to_come.includes(index);
    return html("span", { class: "card-slot" }, item(value, due));
  });
  return html(
    "div",
    { class: "table", "data-over": view.over },
    pot,
    html(
      "div",
      { class: "table-items" },
      html("span", { class: "caption" }, view.to_come.length ? "still to come" : "nothing to come"),
      html("div", { class: "hand" }, ...items),
      html("span", { class: "table-rule caption" }, rule(view)),
    ),
    lastBids(view, before),
  );
}

/**
 * Return the bids of the last round, the taker's filled, and how it went.
 *
 * @param {TableView} view
 * @param {TableView | null} before
 */
function lastBids(view, before) {
  if (view.last_pot === null) return null;
  const count = view.players.length;
  const order = Array.from({ length: count }, (_, k) => ((view.seat ?? 0) + k) % count);
  const cards = order.map((seat) => {
    const player = view.players[seat];
    const value =
      player?.last_bid === null || !player ? "" : number(view.cards[player.last_bid] ?? 0);
    return html(
      "figure",
      { class: "past-bid", "data-side": sideOf(view, seat) },
      numberCard(value, sideOf(view, seat), player?.took ? "won" : "held"),
      html("figcaption", {}, nameOf(view, seat, 11)),
    );
  });
  const box = html(
    "div",
    { class: "table-past" },
    html("span", { class: "caption" }, "last round"),
    html("div", { class: "past-bids" }, ...cards),
    html("span", { class: "table-last" }, lastRound(view)),
  );
  if (before && before.round !== view.round) box.classList.add("appear");
  return box;
}

/** @param {TableView} view */
function rule(view) {
  const ties = {
    carry: "the pot stays",
    discard: "the pot is lost",
    split: "the pot is shared",
  };
  const low = view.pot < 0 && !view.over;
  const takes = low ? "the lowest unique bid takes it" : "the highest unique bid takes it";
  return `${view.over ? "" : `${takes}; `}no unique bid: ${ties[view.tie]}`;
}

/** @param {TableView} view */
function lastRound(view) {
  if (view.last_pot === null) return "";
  const pot = `the pot of ${view.last_pot}`;
  const takers = view.players.flatMap((player, seat) => (player.took ? [seat] : []));
  const [taker] = takers;
  if (takers.length > 1) return `no unique bid: ${pot} was shared`;
  if (taker !== undefined) return tell(view, taker, "took", "took", pot);
  const lost = view.over || view.tie === "discard";
  const end = view.over ? ` (${outcome(view)})` : "";
  return `no unique bid: ${pot} ${lost ? "is lost" : "stays"}${lost ? end : ""}`;
}

/**
 * Return a card with a number.
 *
 * @param {string} words
 * @param {number} side
 * @param {"held" | "gone" | "chosen" | "back" | "won"} look
 */
function numberCard(words, side, look) {
  const size = words.length > 2 ? 14 : 20;
  const pattern = [];
  if (look === "back") {
    for (let k = 0; k < 5; k += 1) {
      pattern.push(svg("path", { d: `M${10 + 5.5 * k} 9v38`, class: "back-line" }));
    }
  }
  return picture(
    42,
    56,
    { class: `number-card number-${look} side${side}`, "aria-hidden": true },
    rect(1, 1, 40, 54, { rx: 7, class: "number-paper" }),
    ...pattern,
    words && label(21, 29, words, { class: "number-value", "font-size": size }),
  );
}

/**
 * Return an item: a golden plate if it is still to come, dark if it is negative.
 *
 * @param {number} value
 * @param {boolean} due
 */
function item(value, due) {
  const look = !due ? "item-gone" : value < 0 ? "item-negative" : "item-due";
  return picture(
    42,
    42,
    {
      class: `item ${look}`,
      role: "img",
      "aria-label": due ? `item ${value}` : "an item that has come",
    },
    rect(1, 1, 40, 40, { rx: 8, class: "item-plate" }),
    due && label(21, 22, number(value), { class: "item-value", "font-size": 17 }),
  );
}
