/**
 * The form for a new game: who plays, and by which rules.
 *
 * @module
 */

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { seatForm } from "./seats.js";

/** @typedef {{rule: string, kind: string, default: string, choices: string[], meaning: string}} Rule */

/** @type {import("../app.js").Page} */
export async function newPage(element, name) {
  const form = await api(`catalogue/${encodeURIComponent(name)}`);
  const asked = new URLSearchParams(location.search);
  document.title = `${form.title} · bidarena`;
  const seats = seatForm(form, { watch: asked.has("watch"), against: asked.get("against") });
  const rules = form.rules.map(ruleField);
  const wrong = h("p", { class: "wrong", role: "alert" });
  const button = h("button", { class: "button", type: "submit" }, "Start");
  /** @param {Event} event */
  async function start(event) {
    event.preventDefault();
    button.disabled = true;
    put(wrong);
    try {
      const given = Object.fromEntries(rules.flatMap((/** @type {any} */ r) => r.given()));
      const table = await api("tables", { game: name, rules: given, seats: seats.chosen() });
      dispatchEvent(new CustomEvent("arena:go", { detail: `/game/${table.id}` }));
    } catch (error) {
      put(wrong, /** @type {Error} */ (error).message);
      button.disabled = false;
    }
  }
  put(
    element,
    h("h1", {}, form.title),
    h("p", { class: "lead" }, form.about),
    h(
      "form",
      { class: "new", onsubmit: start },
      h("section", { class: "panel" }, h("h2", {}, "Players"), seats.element, h("p", { class: "note" }, "Give every seat to a bot to watch them.")),
      form.rules.length > 0 && h("details", { class: "panel" }, h("summary", {}, h("h2", {}, "Rules")), h("div", { class: "rules" }, ...rules.map((/** @type {any} */ r) => r.element))),
      wrong,
      h("p", { class: "actions" }, button),
    ),
  );
  button.focus();
}

/** @param {Rule} rule */
function ruleField(rule) {
  const id = `rule-${rule.rule}`;
  /** @type {HTMLInputElement | HTMLSelectElement} */
  let input;
  let list = null;
  if (rule.kind === "flag") {
    input = h("input", { id, type: "checkbox", checked: rule.default === "true" });
  } else {
    input = h("input", { id, type: rule.kind === "number" ? "number" : "text", placeholder: rule.default, list: rule.choices.length ? `${id}-list` : null, autocomplete: "off" });
    list = rule.choices.length > 0 && h("datalist", { id: `${id}-list` }, ...rule.choices.map((word) => h("option", { value: word })));
  }
  return {
    element: h("div", { class: "rule" }, h("label", { for: id }, rule.rule.replaceAll("_", " ")), input, list, h("p", { class: "note" }, rule.meaning)),
    /** @returns {[string, string][]} */
    given() {
      if (input instanceof HTMLInputElement && input.type === "checkbox") {
        return input.checked === input.defaultChecked ? [] : [[rule.rule, String(input.checked)]];
      }
      return input.value.trim() === "" ? [] : [[rule.rule, input.value.trim()]];
    },
  };
}
