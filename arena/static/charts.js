/**
 * Curves as SVG: the value of a game, and what a training run learns.
 *
 * @module
 */

import { s } from "./dom.js";

const WIDTH = 640;
const HEIGHT = 180;
const EDGE = 10;

/**
 * @typedef {object} Dot
 * @property {number} ply
 * @property {number} value
 * @property {number} side
 * @property {string} mark
 * @property {number} spread
 */

/**
 * The value over the moves of a game; a click goes to the move.
 *
 * @param {Dot[][]} curves a curve for each player whose value is shown
 * @param {{moves: number, scale: number, here: number, onPly: (ply: number) => void, title: string}} how
 */
export function valueGraph(curves, how) {
  const x = (/** @type {number} */ ply) => EDGE + ((WIDTH - 2 * EDGE) * ply) / Math.max(1, how.moves);
  const y = (/** @type {number} */ value) => HEIGHT / 2 - ((HEIGHT / 2 - EDGE) * value) / how.scale;
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", "aria-label": how.title });
  svg.append(s("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "axis" }));
  for (const curve of curves) {
    if (!curve.length) continue;
    const side = curve[0].side;
    const points = curve.map((dot) => `${x(dot.ply).toFixed(1)},${y(dot.value).toFixed(1)}`);
    const band = [...curve.map((dot) => [dot.ply, dot.value + dot.spread]), ...curve.toReversed().map((dot) => [dot.ply, dot.value - dot.spread])];
    svg.append(s("polygon", { class: `band side${side}`, points: band.map(([ply, value]) => `${x(ply).toFixed(1)},${y(Math.max(-how.scale, Math.min(how.scale, value))).toFixed(1)}`).join(" ") }));
    if (curves.length === 1) {
      svg.append(s("polygon", { class: `area side${side}`, points: `${x(curve[0].ply)},${HEIGHT / 2} ${points.join(" ")} ${x(curve[curve.length - 1].ply)},${HEIGHT / 2}` }));
    }
    svg.append(s("polyline", { class: `curve side${side}`, points: points.join(" "), "vector-effect": "non-scaling-stroke" }));
    for (const dot of curve.filter((d) => d.mark)) {
      svg.append(s("circle", { cx: x(dot.ply), cy: y(dot.value), r: 4.5, class: `dot ${dot.mark}` }));
    }
  }
  svg.append(s("line", { x1: x(how.here), x2: x(how.here), y1: 0, y2: HEIGHT, class: "here", "vector-effect": "non-scaling-stroke" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const share = (((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
    how.onPly(Math.max(0, Math.min(how.moves, Math.round(share * how.moves))));
  });
  return svg;
}

/**
 * One curve over steps, with its axis.
 *
 * @param {[number, number][]} points
 * @param {string} title
 */
export function curve(points, title) {
  const left = 54;
  const bottom = 22;
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  let [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  if (y0 === y1) [y0, y1] = [y0 - 0.5, y1 + 0.5];
  const x = (/** @type {number} */ v) => left + ((WIDTH - left - EDGE) * (v - x0)) / Math.max(x1 - x0, 1e-9);
  const y = (/** @type {number} */ v) => HEIGHT - bottom - ((HEIGHT - bottom - EDGE) * (v - y0)) / (y1 - y0);
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve-chart", role: "img", "aria-label": title });
  for (const value of [y0, (y0 + y1) / 2, y1]) {
    svg.append(s("line", { x1: left, x2: WIDTH - EDGE, y1: y(value), y2: y(value), class: "axis" }), s("text", { x: left - 6, y: y(value) + 4, class: "tick", "text-anchor": "end" }, short(value)));
  }
  svg.append(s("text", { x: left, y: HEIGHT - 5, class: "tick" }, short(x0)), s("text", { x: WIDTH - EDGE, y: HEIGHT - 5, class: "tick", "text-anchor": "end" }, `${short(x1)} steps`));
  svg.append(s("polyline", { class: "curve side0", points: points.map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" ") }));
  const last = points[points.length - 1];
  svg.append(s("circle", { cx: x(last[0]), cy: y(last[1]), r: 3.5, class: "dot side0" }));
  return svg;
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e7 ? 0 : 1)}M`;
  if (size >= 1e3) return `${(value / 1e3).toFixed(size >= 1e4 ? 0 : 1)}k`;
  return size >= 10 || size === 0 ? value.toFixed(0) : value.toPrecision(2);
}
