/**
 * Opens a game from a file, from a text, or from a link that contains it.
 *
 * @module
 */

import { h, notice, put } from "../dom.js";
import { keep, recordIn, recordsIn } from "../record.js";

/** @type {import("../app.js").Page} */
export async function openPage(element) {
  document.title = "Open a game · bidarena";
  if (location.hash.length > 1) {
    put(element, h("p", { class: "lead" }, "Opening the game…"));
    const path = await keep(await recordIn(location.hash.slice(1)));
    history.replaceState(null, "", "/open");
    dispatchEvent(new CustomEvent("arena:go", { detail: path }));
    return;
  }
  const text = h("textarea", { rows: 6, "aria-label": "record", placeholder: '{"format": "bidarena/game", …}' });
  const file = h("input", { type: "file", accept: ".json,.jsonl", id: "file", onchange: async () => {
    const chosen = file.files?.[0];
    if (chosen) await openText(await chosen.text()).catch(notice);
  } });
  put(
    element,
    h("h1", {}, "Open a game"),
    h("p", { class: "lead" }, "A file that bidarena play, match --record or this page has written. You can also drop a file anywhere on this page."),
    h("section", { class: "panel" }, h("p", {}, h("label", { for: "file" }, "File "), file), text,
      h("p", { class: "actions" }, h("button", { class: "button", type: "button", onclick: () => openText(text.value).catch(notice) }, "Open"))),
  );
}

/**
 * Open the game in a text; of several games the first.
 *
 * @param {string} text
 */
export async function openText(text) {
  let records;
  try {
    records = recordsIn(text);
  } catch {
    throw new Error("this is not a game: it is not JSON");
  }
  if (!records.length) throw new Error("there is no game in it");
  dispatchEvent(new CustomEvent("arena:go", { detail: await keep(records[0]) }));
}
