/**
 * The shell of the page: shows the page that belongs to the address.
 *
 * A page is a function that fills an element and returns what is to be done when it is left.
 *
 * @module
 */

import { h, notice, put } from "./dom.js";
import { analysisPage } from "./pages/analysis.js";
import { gamePage } from "./pages/game.js";
import { homePage } from "./pages/home.js";
import { newPage } from "./pages/new.js";
import { openPage, openText } from "./pages/open.js";
import { runPage, runsPage } from "./pages/runs.js";
import { tournamentPage, tournamentsPage } from "./pages/tournaments.js";

/** @typedef {(element: HTMLElement, key: string) => Promise<void | (() => void)>} Page */

/** @type {[RegExp, Page][]} */
const PAGES = [
  [/^\/$/, homePage],
  [/^\/new\/([^/]+)$/, newPage],
  [/^\/game\/([^/]+)$/, gamePage],
  [/^\/analysis\/([^/]+)$/, analysisPage],
  [/^\/open$/, openPage],
  [/^\/tournaments$/, tournamentsPage],
  [/^\/tournaments\/([^/]+)$/, tournamentPage],
  [/^\/runs$/, runsPage],
  [/^\/runs\/([^/]+)$/, runPage],
];

/** @type {(() => void) | null} */
let leave = null;
let visits = 0;

/** Show the page of the present address. */
async function show() {
  const visit = ++visits;
  leave?.();
  leave = null;
  const main = /** @type {HTMLElement} */ (document.getElementById("page"));
  for (const link of document.querySelectorAll("nav a")) {
    const path = new URL(/** @type {HTMLAnchorElement} */ (link).href).pathname;
    const here = path === "/" ? /^\/($|new|game)/.test(location.pathname) : location.pathname.startsWith(path);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const content = h("div", { class: "content" });
  put(main, content);
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(location.pathname);
    if (!found) continue;
    try {
      const left = await page(content, decodeURIComponent(found[1] ?? ""));
      if (visit === visits) leave = left ?? null;
      else left?.();
    } catch (wrong) {
      if (visit === visits) put(content, h("p", { class: "lead" }, String(/** @type {Error} */ (wrong).message)), h("p", {}, h("a", { href: "/" }, "All games")));
    }
    return;
  }
  put(content, h("p", { class: "lead" }, "There is no such page."));
}

/** @param {string} path */
function go(path) {
  history.pushState(null, "", path);
  void show();
  window.scrollTo(0, 0);
}

addEventListener("popstate", () => void show());
addEventListener("arena:go", (event) => go(/** @type {CustomEvent<string>} */ (event).detail));
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
});

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  try {
    localStorage.setItem("theme", next);
  } catch {
    // the choice then lasts until the page is left
  }
});

// A file that is dropped anywhere is opened.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  try {
    await openText(await file.text());
  } catch (wrong) {
    notice(wrong);
  }
});

void show();
