/**
 * A token on a graph: two players bid, and the winner moves the token along an edge.
 *
 * Bids are made by the form of bidding.js: `data-bid-slider`, `data-bid-input`, `data-bid-submit`.
 * Then the token moves by a click on a vertex (`data-action`, one for each way) or on the edge that
 * leads there (`data-edge-action`); arrow keys go from way to way.
 *
 * @module
 */

import { biddingParts, dollars, roundOf, rulesOf, shown } from "./bidding.js";
import { makeKey, mountBoard, nameOf, sideOf, statusLine, tell } from "./frame.js";
import { circle, glide, html, label, picture, svg } from "./svg.js";

/** @typedef {import("./types.js").GraphView} GraphView */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Scene<GraphView>} Scene */

/** @type {import("./types.js").Mount<GraphView>} */
export function mount(element, props) {
  return mountBoard(element, props, "graph", draw);
}

/** @param {Scene} scene */
function draw(scene) {
  const { view } = scene;
  const choosing = view.chooser !== null;
  const own = view.seat === null ? null : view.players[view.seat];
  const most = own?.money[1] ?? 0;
  const bids = most ? `from $1 to ${dollars(most)}` : "you have nothing: $0";
  const mover = view.mover ?? 0;
  const waiting = choosing
    ? tell(view, mover, "move the token", "moves the token")
    : tell(view, mover, "are bidding", "is bidding");
  const status = statusLine(scene, {
    progress: roundOf(view),
    own: choosing ? "your move" : "your bid",
    task: choosing ? `move the token to ${listed(view.successors[view.vertex] ?? [])}` : bids,
    waiting,
    reason: ending(view),
  });
  return [status, stage(scene), ...biddingParts(scene, !choosing)];
}

/** @param {number[]} ways */
function listed(ways) {
  if (ways.length > 8) return `one of ${ways.length} vertices`;
  const last = ways[ways.length - 1];
  return ways.length > 1 ? `${ways.slice(0, -1).join(", ")} or ${last}` : `${last}`;
}

/** @param {GraphView} view */
function ending(view) {
  const [winner] = view.winners;
  if (winner === undefined) return view.cut ? "no more rounds" : "both are out of money";
  const whose =
    view.names[winner] === "you" ? "your target" : `the target of ${nameOf(view, winner)}`;
  return `the token is on ${whose}`;
}

const FIELD = { left: 76, top: 126, width: 568, height: 180 }; // as in graph_layout.py

/** @param {Scene} scene */
function stage(scene) {
  const { view, before } = scene;
  const w = Math.min(Math.max(scene.width - 2, 280), 860);
  const narrow = w < 560;
  const [marginX, top] = [narrow ? 30 : 60, 46];
  const spread = extent(view.places);
  const drawn = spread > 60 ? (narrow ? 250 : 230) : narrow ? 60 : 80;
  const height = drawn + 2 * top;
  const scaleX = (w - 2 * marginX) / FIELD.width;
  const scaleY = drawn / FIELD.height;
  const offset = spread > 60 ? 0 : height / 2 - top - (FIELD.height / 2) * scaleY;
  /** @param {Point} point @returns {Point} */
  const map = ([x, y]) => [
    marginX + (x - FIELD.left) * scaleX,
    top + offset + (y - FIELD.top) * scaleY,
  ];
  const places = view.places.map(map);
  const radius = Math.min(Math.max(0.36 * nearest(places), 2.5), 17);
  const routes = view.routes.map(
    ([v, u, path]) => /** @type {const} */ ([v, u, trimmed(places, v, u, path.map(map), radius)]),
  );
  const choosing = view.chooser !== null;
  const chooserSide = view.chooser === null ? 0 : sideOf(view, view.chooser);
  const quiet = routes.filter(([v]) => v !== view.vertex || view.over);
  const ways = routes.filter(([v]) => v === view.vertex && !view.over);
  const canvas = picture(w, height, { class: "stage-picture", "data-arrows": true });
  canvas.setAttribute("role", "group");
  canvas.setAttribute("aria-label", `a graph with the token on vertex ${view.vertex}`);
  for (const [, , path] of quiet) canvas.append(arrow(path, "edge", radius));
  for (const [, u, path] of ways) {
    const action = view.first_way + u;
    const can = choosing && scene.open.has(action);
    const look = choosing ? `edge-way edge-choice side${chooserSide}` : "edge-way";
    const drawnEdge = arrow(path, look, radius);
    if (can) {
      drawnEdge.setAttribute("data-edge-action", String(action));
      drawnEdge.append(svg("path", { d: pathOf(path), class: "edge-hit" }));
      drawnEdge.addEventListener("click", () => scene.act(action));
    }
    canvas.append(drawnEdge);
  }
  places.forEach((place, v) => {
    if (v !== view.vertex) canvas.append(vertex(scene, v, place, radius));
  });
  for (const [seat, target] of view.targets.entries()) {
    const [x, y] = places[target] ?? [0, 0];
    const name = nameOf(view, seat, narrow ? 11 : 14);
    const anchor = x < w / 2 ? "start" : "end";
    const edge = x < w / 2 ? Math.max(x - 20, 4) : Math.min(x + 20, w - 4);
    const below =
      clear(places, routes, x, y + radius + 19) >= clear(places, routes, x, y - radius - 19);
    const level = below ? y + radius + 19 : y - radius - 19;
    canvas.append(
      label(edge, level, name, {
        class: `target-name side${sideOf(view, seat)}`,
        "text-anchor": anchor,
      }),
    );
  }
  const [tx, ty] = places[view.vertex] ?? [0, 0];
  const size = Math.max(radius, 10) + 3;
  const token = svg(
    "g",
    { class: "token" },
    circle(tx, ty, size + 5, { class: "halo" }),
    circle(tx, ty, size, { class: "gold-disc" }),
    label(tx, ty, view.vertex, { class: "token-number" }),
  );
  // A token on a vertex with an edge to itself can stay.
  canvas.append(makeKey(scene, token, view.first_way + view.vertex));
  if (before && before.vertex !== view.vertex) {
    const [fx, fy] = places[before.vertex] ?? [tx, ty];
    glide(token, fx - tx, fy - ty, { ms: 420 });
  }
  const champion = view.winners.length ? sideOf(view, view.winners[0] ?? 0) : "none";
  return html(
    "div",
    { class: "stage", "data-champion": champion },
    html(
      "div",
      { class: "stage-head" },
      html("span", {}, rulesOf(view)),
      html("span", {}, view.over ? "" : distances(view)),
    ),
    canvas,
  );
}

/**
 * Return a vertex; a key if the token may move there.
 *
 * @param {Scene} scene
 * @param {number} v
 * @param {Point} place
 * @param {number} radius
 */
function vertex(scene, v, [x, y], radius) {
  const { view } = scene;
  const action = view.first_way + v;
  const target = view.targets.indexOf(v);
  const can = scene.open.has(action) && view.chooser !== null;
  const side = target >= 0 ? sideOf(view, target) : 0;
  const size = target >= 0 ? Math.max(radius + 2, 10) : radius;
  const look = target >= 0 ? `vertex-target fill${side}` : "vertex-disc";
  const group = svg(
    "g",
    { class: `vertex ${can ? "vertex-way" : ""}` },
    can && circle(x, y, Math.max(size + 5, 17), { class: "hit" }),
    can && circle(x, y, size + 5, { class: "way-ring" }),
    circle(x, y, size, { class: look }),
    (radius >= 7.5 || target >= 0 || can) &&
      label(x, y, v, {
        class: target >= 0 ? "target-number" : "vertex-number",
        "font-size": radius >= 12 ? 13 : 10,
      }),
  );
  return makeKey(scene, group, action);
}

/** @param {Point[]} places */
function extent(places) {
  const heights = places.map(([, y]) => y);
  return Math.max(...heights) - Math.min(...heights);
}

/** @param {Point[]} places */
function nearest(places) {
  let least = 60;
  places.forEach(([x, y], i) => {
    for (const [s, t] of places.slice(i + 1)) least = Math.min(least, Math.hypot(x - s, y - t));
  });
  return least;
}

/**
 * Return the part of an edge's way between the rims of its two vertices.
 *
 * @param {Point[]} places
 * @param {number} v
 * @param {number} u
 * @param {Point[]} inner
 * @param {number} radius
 * @returns {Point[]}
 */
function trimmed(places, v, u, inner, radius) {
  const from = places[v] ?? [0, 0];
  const to = places[u] ?? [0, 0];
  if (v === u) return inner;
  /** @param {Point} a @param {Point} b */
  const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  /** @type {Point[]} */
  const dense = [];
  const whole = [from, ...inner, to];
  whole.forEach((point, i) => {
    const next = whole[i + 1];
    if (!next) return;
    for (let k = 0; k < 12; k += 1) {
      const t = k / 12;
      dense.push([point[0] + (next[0] - point[0]) * t, point[1] + (next[1] - point[1]) * t]);
    }
  });
  const clearOf = dense.filter((p) => apart(p, from) > radius && apart(p, to) > radius + 5);
  if (clearOf.length < 2) return inner;
  const last = clearOf.length - 1;
  const count = inner.length > 2 ? 10 : 1;
  return Array.from({ length: count + 1 }, (_, k) => {
    return clearOf[Math.round((last * k) / count)] ?? to;
  });
}

/** @param {Point[]} path */
function pathOf(path) {
  return path.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/**
 * Return an edge with its arrowhead.
 *
 * @param {readonly Point[]} path
 * @param {string} look
 * @param {number} radius
 */
function arrow(path, look, radius) {
  const points = [...path];
  const tip = points[points.length - 1] ?? [0, 0];
  const back = points[points.length - 2] ?? tip;
  const angle = Math.atan2(tip[1] - back[1], tip[0] - back[0]);
  const size = Math.min(look === "edge" ? 7 : 9, 0.7 * radius + 2);
  /** @param {number} turn @returns {Point} */
  const corner = (turn) => [
    tip[0] - size * Math.cos(angle + turn),
    tip[1] - size * Math.sin(angle + turn),
  ];
  const neck = /** @type {Point} */ ([
    tip[0] - 0.7 * size * Math.cos(angle),
    tip[1] - 0.7 * size * Math.sin(angle),
  ]);
  const head = `${pathOf([tip, corner(0.45), corner(-0.45)])}Z`;
  return svg(
    "g",
    { class: look },
    svg("path", { d: pathOf([...points.slice(0, -1), neck]), class: "edge-line" }),
    svg("path", { d: head, class: "edge-head" }),
  );
}

/**
 * Return how far a name at a place would be from vertices and edges, at most 30.
 *
 * @param {Point[]} places
 * @param {readonly (readonly [number, number, Point[]])[]} routes
 * @param {number} x
 * @param {number} y
 */
function clear(places, routes, x, y) {
  const near = [...places, ...routes.flatMap(([, , path]) => path)];
  return Math.min(30, ...near.map(([s, t]) => Math.hypot((x - s) / 2, y - t)));
}

/**
 * Return how far the token is from both targets, in words.
 *
 * @param {GraphView} view
 */
function distances(view) {
  return shown(view)
    .map((seat) => {
      const steps = stepsTo(view.successors, view.targets[seat] ?? 0)[view.vertex];
      const name = view.names[seat] === "you" ? "your target" : `that of ${nameOf(view, seat)}`;
      return steps === undefined ? `no way to ${name}` : `${steps} from ${name}`;
    })
    .join(", ");
}

/**
 * Return the fewest moves from every vertex to the target, undefined where no path leads there.
 *
 * @param {number[][]} successors
 * @param {number} target
 */
function stepsTo(successors, target) {
  /** @type {(number | undefined)[]} */
  const steps = successors.map((_, v) => (v === target ? 0 : undefined));
  for (let turn = 1; turn < successors.length; turn += 1) {
    successors.forEach((ways, v) => {
      if (steps[v] === undefined && ways.some((u) => steps[u] === turn - 1)) steps[v] = turn;
    });
  }
  return steps;
}
