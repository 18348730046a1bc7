/**
 * A line with a bottle that two players bid for. The viewer's end is on the left.
 *
 * Bids are made by the form of bidding.js: `data-bid-slider`, `data-bid-input`, `data-bid-submit`.
 *
 * @module
 */

import { biddingParts, dollars, roundOf, rulesOf, shown } from "./bidding.js";
import { mountBoard, nameOf, sideOf, statusLine, tell } from "./frame.js";
import { circle, glide, html, label, picture, rect, svg } from "./svg.js";

/** @typedef {import("./types.js").LineView} LineView */
/** @typedef {import("./frame.js").Scene<LineView>} Scene */

/** @type {import("./types.js").Mount<LineView>} */
export function mount(element, props) {
  return mountBoard(element, props, "line", draw);
}

/** @param {Scene} scene */
function draw(scene) {
  const { view } = scene;
  const own = view.seat === null ? null : view.players[view.seat];
  const most = own?.money[1] ?? 0;
  const task = most ? `from $1 to ${dollars(most)}` : "you have nothing: $0";
  const waiting = view.mover === null ? "" : tell(view, view.mover, "are bidding", "is bidding");
  const status = statusLine(scene, {
    progress: roundOf(view),
    own: "your bid",
    task,
    waiting,
    reason: ending(view),
  });
  return [status, stage(scene), ...biddingParts(scene, true)];
}

/** @param {LineView} view */
function ending(view) {
  const [winner] = view.winners;
  if (winner === undefined) return view.cut ? "no more rounds" : "both are out of money";
  if (view.at_an_end) return tell(view, winner, "have the bottle", "has the bottle");
  return tell(view, 1 - winner, "are out of money", "is out of money");
}

/** @param {Scene} scene */
function stage({ view, before, width }) {
  const w = Math.min(Math.max(width - 2, 280), 860);
  const narrow = w < 560;
  const [floor, height] = narrow ? [190, 232] : [172, 214];
  const [left, right] = narrow ? [34, w - 34] : [118, w - 118];
  const [first, second] = shown(view);
  const mirrored = first === 1;
  /** @param {number} number */
  const at = (number) => {
    const distance = mirrored ? view.length - number : number;
    return left + ((right - left) * distance) / view.length;
  };
  const gap = (right - left) / view.length;
  const x = at(view.position);
  const marks = marksOf(view.length, (14 + 8 * String(view.length).length) / gap);
  const dots = gap >= 6 ? Array.from({ length: view.length + 1 }, (_, k) => k) : marks;
  /** @type {SVGElement[]} */
  const parts = [
    svg("path", { d: `M${left} ${floor}H${right}`, class: "rail" }),
    ...dots.map((dot) => circle(at(dot), floor, 2.4, { class: "rail-dot" })),
    circle(left, floor, 7.5, { class: `goal fill${sideOf(view, first)}` }),
    circle(right, floor, 7.5, { class: `goal fill${sideOf(view, second)}` }),
  ];
  if (view.last_winner !== null) {
    const from = at(view.position + (view.last_winner === 0 ? 1 : -1));
    const side = sideOf(view, view.last_winner);
    parts.push(svg("path", { d: `M${from} ${floor}H${x}`, class: `trail side${side}` }));
  }
  for (const mark of marks) {
    if (Math.abs(at(mark) - x) > 24) {
      parts.push(label(at(mark), floor + 23, mark, { class: "mark" }));
    }
  }
  for (const [seat, px] of /** @type {[number, number][]} */ ([
    [first, narrow ? 34 : 58],
    [second, narrow ? w - 34 : w - 58],
  ])) {
    parts.push(person(view, seat, px, narrow ? 36 : floor - 34, w));
  }
  const number = String(view.position);
  const half = 9 + 4 * number.length;
  const moving = svg(
    "g",
    { class: "bottle" },
    bottle(x, floor + 1, narrow ? 0.82 : 1),
    rect(x - half, floor + 13, 2 * half, 20, { rx: 7, class: "plate" }),
    label(x, floor + 23, number, { class: "plate-number" }),
  );
  parts.push(moving);
  if (before && before.position !== view.position) glide(moving, at(before.position) - x, 0);
  const distance = Math.abs(view.position - (mirrored ? view.length : 0));
  const others = `${view.length - distance} from ${nameOf(view, second)}`;
  const steps = `${distance} from ${nameOf(view, first)}, ${others}`;
  const said = `the bottle is at ${number} of ${view.length}: ${steps}`;
  const champion = view.winners.length ? sideOf(view, view.winners[0] ?? 0) : "none";
  return html(
    "div",
    { class: "stage", "data-champion": champion },
    html("div", { class: "stage-head" }, html("span", {}, rulesOf(view)), html("span", {}, steps)),
    picture(w, height, { class: "stage-picture", role: "img", "aria-label": said }, ...parts),
  );
}

/**
 * Return round numbers from 0 to `length`, each at least `apart` above the one before.
 *
 * @param {number} length
 * @param {number} apart
 */
function marksOf(length, apart) {
  let step = 1;
  for (const size of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]) {
    step = size;
    if (size >= Math.min(apart, length)) break;
  }
  const marks = [];
  for (let mark = 0; mark <= length - step; mark += step) marks.push(mark);
  return [...marks, length];
}

/**
 * Return a player from the shoulders up, in a circle, with the name.
 *
 * @param {LineView} view
 * @param {number} seat
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
function person(view, seat, x, y, width) {
  const side = sideOf(view, seat);
  const won = view.winners.includes(seat);
  const small = width < 560;
  const name = nameOf(view, seat, small ? 16 : 11);
  const edge = x < width / 2 ? 8 : width - 8;
  const wide = small && name.length > 5;
  const anchor = wide ? { "text-anchor": x < width / 2 ? "start" : "end" } : {};
  return svg(
    "g",
    { class: `person side${side} ${won ? "person-won" : ""}` },
    circle(x, y, 26, { class: "person-disc" }),
    svg("path", { d: `M${x - 16} ${y + 19}a16 16 0 0 1 32 0z`, class: "person-body" }),
    circle(x, y - 6, 8.5, { class: "person-body person-head" }),
    won &&
      svg("path", {
        d: `M${x - 13} ${y - 45}l7 8 6-11 6 11 7-8-3 15h-20z`,
        class: "crown",
      }),
    label(wide ? edge : x, y + 42, name, { class: "person-name", ...anchor }),
    view.mover === seat && circle(x + 20, y - 20, 6, { class: "turn" }),
  );
}

/**
 * Return a bottle of Scotch that stands on `floor`.
 *
 * @param {number} x
 * @param {number} floor
 * @param {number} scale
 */
function bottle(x, floor, scale) {
  const outline = "M-15 0q-4 0-4-4v-58c0-13 13-9 13-22v-32h12v32c0 13 13 9 13 22v58q0 4-4 4z";
  const gleam = "M-15.5-6v-55c0-10 11-9 12.5-22v-24";
  return svg(
    "g",
    { transform: `translate(${x} ${floor}) scale(${scale})` },
    svg("ellipse", { cx: 0, cy: 1, rx: 24, ry: 4, class: "shadow" }),
    svg("path", { d: outline, class: "glass" }),
    svg("path", { d: gleam, class: "gleam" }),
    rect(-7.5, -123, 15, 17, { rx: 2.5, class: "cork" }),
    rect(-7.5, -110, 15, 2, { class: "cork-line" }),
    rect(-19, -56, 38, 40, { class: "bottle-label" }),
    label(0, -43, "SCOTCH", { class: "bottle-word", "font-size": 7.6 }),
    svg("path", { d: "M-11-34h22", class: "bottle-line" }),
    label(0, -25, "12", { class: "bottle-word", "font-size": 9.5 }),
  );
}
