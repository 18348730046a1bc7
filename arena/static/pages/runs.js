/**
 * Training runs: their curves, drawn anew while they learn, and their policies to play against.
 *
 * @module
 */

import { api } from "../api.js";
import { curve } from "../charts.js";
import { h, put, when } from "../dom.js";

const EVERY = 3000; // milliseconds between two looks at a run that learns

/** @type {import("../app.js").Page} */
export async function runsPage(element) {
  document.title = "Learning · bidarena";
  const { runs } = await api("runs");
  put(
    element,
    h("h1", {}, "Learning"),
    runs.length === 0 && h("p", { class: "lead" }, "There is no run yet. ", h("code", {}, "bidarena train GAME"), " begins one and keeps it in runs/."),
    h("ul", { class: "list" }, ...runs.map((/** @type {any} */ run) =>
      h("li", {}, h("a", { href: `/runs/${run.key}` }, run.title), h("span", { class: "grow" }, `${run.algorithm}, seed ${run.seed}`), h("span", { class: "dim" }, steps(run)), run.live ? h("span", { class: "live" }, "learning") : h("span", { class: "dim" }, when(run.changed))))),
  );
}

/** @type {import("../app.js").Page} */
export async function runPage(element, key) {
  let left = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;
  let drawn = "";
  async function show() {
    const run = await api(`runs/${encodeURIComponent(key)}`);
    if (left) return;
    document.title = `${run.title}, ${run.algorithm} · bidarena`;
    const now = JSON.stringify(run);
    if (now !== drawn) draw(element, run);
    drawn = now;
    if (run.live) again = setTimeout(() => (document.hidden ? (again = setTimeout(show, EVERY)) : void show().catch(() => {})), EVERY);
  }
  await show();
  return () => {
    left = true;
    clearTimeout(again);
  };
}

/** @param {HTMLElement} element @param {any} run */
function draw(element, run) {
  const charts = (/** @type {Record<string, [number, number][]>} */ curves) =>
    Object.entries(curves).filter(([, points]) => points.length > 1).map(([name, points]) => h("figure", {}, h("figcaption", {}, name), curve(points, name)));
  const measured = charts(run.evaluations);
  const metrics = charts(run.metrics);
  put(
    element,
    h("h1", {}, run.title, " ", h("span", { class: "dim" }, run.algorithm)),
    h("p", { class: "lead" }, steps(run), run.live && h("span", { class: "live" }, " learning")),
    run.policies.length > 0 && h("p", { class: "actions" }, ...run.policies.map((/** @type {any} */ policy) => h("a", { class: "button", href: `/new/${run.game}?against=${encodeURIComponent(policy.id)}` }, `Play against ${policy.label}`))),
    measured.length > 0 && h("section", { class: "panel" }, h("h2", {}, "Measured on the way"), h("div", { class: "charts" }, ...measured)),
    metrics.length > 0 && h("details", { class: "panel", open: measured.length === 0 }, h("summary", {}, h("h2", {}, "Metrics")), h("div", { class: "charts" }, ...metrics)),
    h("details", { class: "panel" }, h("summary", {}, h("h2", {}, "Settings")), h("pre", { class: "note" }, JSON.stringify({ rules: run.rules, ...run.settings }, null, 2))),
  );
}

/** @param {any} run */
function steps(run) {
  return `${run.steps.toLocaleString("en")} of ${(run.planned ?? 0).toLocaleString("en")} steps`;
}
