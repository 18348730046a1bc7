/**
 * What boards of games with secret bids share: both purses, the last bids, and the bid to make.
 *
 * A bid is made by slider, number field or one of the shortcuts, and sent by button or Enter:
 * `data-bid-slider`, `data-bid-input`, `data-bid-part="all"` and others, `data-bid-submit`. A number
 * that is not legal cannot be sent. Actions are the amounts.
 *
 * @module
 */

import { sideOf, tell } from "./frame.js";
import { html, label, picture, rect, svg } from "./svg.js";

/** @typedef {import("./types.js").AuctionView} AuctionView */
/**
 * @template {AuctionView} V
 * @typedef {import("./frame.js").Scene<V>} Scene
 */

/** @param {number} amount */
export const dollars = (amount) => `$${amount.toLocaleString("en")}`;

/**
 * Return the seats as they are shown: the viewer's, or seat 0, on the left.
 *
 * @param {AuctionView} view
 * @returns {[number, number]}
 */
export const shown = (view) => (view.seat === 1 ? [1, 0] : [0, 1]);

/**
 * Return the rules of payment and ties in a few words.
 *
 * @param {AuctionView} view
 */
export function rulesOf(view) {
  const payee = view.payment === "bank" ? "the bank" : "the loser";
  const ties = {
    alternate: "ties go to the draw advantage, which then passes",
    coin: "a coin decides ties",
    holder: "ties go to the draw advantage",
  };
  return `the winner of a bid pays ${payee}; ${ties[view.tie]}`;
}

/**
 * Return the number of the round, in words.
 *
 * @param {AuctionView} view
 */
export function roundOf(view) {
  if (view.over) return `${view.round} round${view.round === 1 ? "" : "s"} played`;
  return `round ${view.round + 1}${view.max_rounds ? ` of ${view.max_rounds}` : ""}`;
}

/**
 * Return the lower part of the board: purses, the last bids between them, and the bid to make.
 *
 * @template {AuctionView} V
 * @param {Scene<V>} scene
 * @param {boolean} bidding whether a bid is awaited from anybody
 * @returns {Node[]}
 */
export function biddingParts(scene, bidding) {
  const { view } = scene;
  const [left, right] = shown(view);
  const purses = [left, right].map((seat) => purse(scene, seat));
  const row = html("div", { class: "bidding" }, purses[0], lastBids(scene), purses[1]);
  const own = purses[[left, right].indexOf(view.mover ?? -1)];
  return own && bidding && scene.open.size ? [row, bidForm(scene, own)] : [row];
}

/**
 * Return a player's money as a number and a bar, with the draw advantage and a sealed bid.
 *
 * @template {AuctionView} V
 * @param {Scene<V>} scene
 * @param {number} seat
 */
function purse({ view }, seat) {
  const side = sideOf(view, seat);
  const player = view.players[seat];
  if (!player) throw new RangeError(`no player ${seat}`);
  const [low, high] = player.money;
  const amount = low === high ? dollars(low) : `${dollars(low)} to ${dollars(high)}`;
  const most = Math.max(view.most, 1);
  const bar = picture(
    200,
    10,
    { class: "strip", preserveAspectRatio: "none", "aria-hidden": true },
    rect(0, 0, 200, 10, { class: "strip-track" }),
    rect(0, 0, (200 * high) / most, 10, { class: `tint${side}` }),
    rect(0, 0, (200 * low) / most, 10, { class: `fill${side}` }),
    rect(0, 0, 0, 10, { class: "bar-bid" }),
  );
  return html(
    "div",
    { class: "purse", "data-side": side, "data-low": low },
    html(
      "div",
      { class: "purse-head" },
      html("span", { class: "caption" }, tell(view, seat, "have", "has")),
      view.advantage === seat && html("span", { class: "advantage" }, advantage(), "wins ties"),
    ),
    html(
      "div",
      { class: "purse-line" },
      html("span", { class: "amount" }, amount),
      player.sealed &&
        html(
          "span",
          { class: "sealed" },
          cardBack(side),
          player.bid === null ? "bid is in" : `bid ${player.bid} is in`,
        ),
    ),
    bar,
  );
}

/** Return the sign of the draw advantage, a golden disc with an equals sign. */
function advantage() {
  return picture(
    18,
    18,
    { class: "coin-sign", "aria-hidden": true },
    svg("circle", { cx: 9, cy: 9, r: 8.3, class: "gold-disc" }),
    svg("path", { d: "M5.5 7h7M5.5 11h7", class: "gold-mark" }),
  );
}

/**
 * Return a small card that lies face down.
 *
 * @param {number} side
 */
export function cardBack(side) {
  return picture(
    16,
    22,
    { class: "card-back", "aria-hidden": true },
    rect(0.5, 0.5, 15, 21, { rx: 3, class: `fill${side}` }),
    rect(3, 3, 10, 16, { rx: 1.5, class: "back-line" }),
    svg("path", { d: "M4 5l8 12M12 5l-8 12", class: "back-line" }),
  );
}

/**
 * Return the bids of the last round on two cards, the winner's raised, and how it went.
 *
 * @template {AuctionView} V
 * @param {Scene<V>} scene
 */
function lastBids({ view, before }) {
  const [left, right] = shown(view);
  const seats = [left, right];
  const bids = seats.map((seat) => view.players[seat]?.last_bid ?? null);
  const none = view.last_winner === null;
  const cards = seats.map((seat, index) => {
    const bid = bids[index] ?? null;
    const won = view.last_winner === seat;
    const side = sideOf(view, seat);
    const x = 4 + 66 * index;
    const y = won ? 2 : 8;
    if (none) return rect(x, 8, 60, 66, { rx: 9, class: "bid-empty" });
    const words = bid === null ? "?" : bid.toLocaleString("en");
    const size = words.length > 4 ? 16 : 24;
    return svg(
      "g",
      { class: `bid-card ${won ? "bid-won" : ""} side${side}` },
      rect(x, y, 60, 66, { rx: 9, class: "bid-paper" }),
      label(x + 30, y + 34, words, { class: "bid-number", "font-size": size }),
    );
  });
  const drawing = picture(134, 80, { class: "bids-picture", role: "img" }, ...cards);
  const words = bidStory(view, bids);
  drawing.setAttribute("aria-label", words);
  if (before && before.round !== view.round) drawing.classList.add("appear");
  const side = none ? "none" : String(sideOf(view, view.last_winner ?? 0));
  return html(
    "div",
    { class: "bids" },
    drawing,
    html("span", { class: "bids-words", "data-side": side }, words),
  );
}

/**
 * Return how the last bids were decided, in a few words.
 *
 * @param {AuctionView} view
 * @param {(number | null)[]} bids
 */
function bidStory(view, bids) {
  const winner = view.last_winner;
  if (winner === null) return "no bids yet";
  const price = view.players[winner]?.last_bid ?? null;
  const tied = bids[0] !== null && bids[0] === bids[1];
  const paid = price === null ? [] : [`and paid ${dollars(price)}`];
  const what = [...(tied ? ["the tie"] : []), ...paid].join(" ");
  return tell(view, winner, "won", "won", what);
}

/**
 * Return the form that makes a bid.
 *
 * @template {AuctionView} V
 * @param {Scene<V>} scene
 * @param {HTMLElement} purse of the player who bids
 */
function bidForm(scene, purse) {
  const bids = [...scene.open].sort((a, b) => a - b);
  const low = bids[0] ?? 0;
  const high = bids[bids.length - 1] ?? 0;
  const kept = Number(scene.memory.get("bid"));
  const start = scene.open.has(kept) && scene.memory.has("bid") ? kept : middle(low, high);
  scene.cover(...bids);

  const range = { min: low, max: high, step: 1 };
  const slider = html("input", {
    type: "range",
    ...range,
    class: "bid-slider",
    "data-bid-slider": true,
    "data-key": "slider",
    "aria-label": "your bid",
  });
  const field = html("input", {
    type: "number",
    ...range,
    class: "bid-field",
    inputmode: "numeric",
    "data-bid-input": true,
    "data-key": "field",
    "aria-label": `your bid in dollars, from ${low} to ${high}`,
  });
  const send = html("button", {
    type: "submit",
    class: "key primary",
    "data-bid-submit": true,
    "data-key": "send",
  });
  const hint = html("span", { class: "bid-hint", "aria-live": "polite" });
  const ownBar = purse.querySelector(".bar-bid");
  const money = Number(purse.getAttribute("data-low"));
  const most = Math.max(scene.view.most, 1);

  /** @param {string} text */
  const read = (text) => {
    const bid = Number(text);
    const fine = text.trim() !== "" && scene.open.has(bid);
    if (fine) {
      scene.memory.set("bid", bid);
      slider.value = String(bid);
      send.textContent = `Bid ${dollars(bid)}`;
      send.setAttribute("aria-label", scene.words(bid));
      ownBar?.setAttribute("x", String((200 * (money - bid)) / most));
      ownBar?.setAttribute("width", String((200 * bid) / most));
    }
    const left = money - bid;
    hint.textContent = !fine
      ? `from ${dollars(low)} to ${dollars(high)}`
      : low === high
        ? "the only bid"
        : `leaves ${dollars(left)} if it wins`;
    send.disabled = !fine;
    field.toggleAttribute("aria-invalid", !fine);
    return fine;
  };
  slider.addEventListener("input", () => {
    field.value = slider.value;
    read(slider.value);
  });
  field.addEventListener("input", () => read(field.value));
  field.value = String(start);
  read(field.value);

  /** @type {[string, string, number][]} */
  const parts = [
    ["least", "min", low],
    ["quarter", "¼", middle(low, high, 0.25)],
    ["half", "½", middle(low, high, 0.5)],
    ["all", "all", high],
  ];
  const shortcuts = parts.map(([name, words, bid]) => {
    const key = html(
      "button",
      { type: "button", class: "key chip", "data-bid-part": name, "data-key": `part-${name}` },
      words,
    );
    key.setAttribute("aria-label", `set the bid to ${bid}`);
    key.addEventListener("click", () => {
      field.value = String(bid);
      read(field.value);
    });
    return key;
  });
  const form = html(
    "form",
    { class: "bid-form", novalidate: true, "aria-label": "your bid" },
    low < high && html("div", { class: "bid-slide" }, slider),
    html(
      "div",
      { class: "bid-row" },
      low < high && html("div", { class: "chips", "data-arrows": true }, ...shortcuts),
      html("label", { class: "bid-amount" }, html("span", { "aria-hidden": true }, "$"), field),
      send,
      hint,
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (read(field.value)) scene.act(Number(field.value));
  });
  return form;
}

/**
 * Return a bid between the least and the most.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} [share]
 */
function middle(low, high, share = 0.12) {
  return Math.min(Math.max(Math.round(high * share), low), high);
}
