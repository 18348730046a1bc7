/**
 * A form that says who sits where.
 *
 * @module
 */

import { h, put } from "../dom.js";

/** @typedef {{id: string, label: string, kind: string, options: {name: string, default: any, most: number | null}[]}} Opponent */
/** @typedef {{players: number, teams: number[], usual: string, opponents: Opponent[]}} Form */

const PERSON = "person";
const KINDS = { bot: "Bots", policy: "Learned policies in your folders", named: "Named at start" };

/**
 * Return a form of seats, and what is chosen in it.
 *
 * @param {Form} form
 * @param {{watch: boolean, against?: string | null, seat?: number}} first what is chosen at first
 */
export function seatForm(form, first) {
  const own = first.seat ?? 0;
  const seats = Array.from({ length: form.players }, (_, seat) => {
    const usual = form.opponents.some((o) => o.id === first.against) ? first.against : form.usual;
    return seatField(form, seat, !first.watch && seat === own ? PERSON : (usual ?? form.usual), seats_change);
  });
  /** @param {number} changed */
  function seats_change(changed) {
    if (seats[changed].select.value !== PERSON) return;
    for (const [seat, field] of seats.entries()) {
      if (seat !== changed && field.select.value === PERSON) field.choose(form.usual);
    }
  }
  return {
    element: h("div", { class: "seats" }, ...seats.map((field) => field.element)),
    chosen: () => seats.map((field) => field.chosen()),
    watched: () => seats.every((field) => field.select.value !== PERSON),
  };
}

/**
 * @param {Form} form
 * @param {number} seat
 * @param {string} first
 * @param {(seat: number) => void} changed
 */
function seatField(form, seat, first, changed) {
  const groups = Object.entries(KINDS).map(([kind, title]) => {
    const some = form.opponents.filter((o) => o.kind === kind);
    return some.length > 0 && h("optgroup", { label: title }, ...some.map((o) => h("option", { value: o.id }, o.label)));
  });
  const select = h("select", { id: `seat-${seat}`, onchange: () => { options(); changed(seat); } }, h("option", { value: PERSON }, "You"), ...groups);
  const more = h("div", { class: "options" });
  const sides = new Set(form.teams).size;
  const partner = sides < form.players ? `, side ${form.teams[seat] + 1}` : "";
  function options() {
    const bot = form.opponents.find((o) => o.id === select.value);
    put(more, ...(bot?.options ?? []).map((o) =>
      typeof o.default === "boolean"
        ? h("label", {}, h("input", { type: "checkbox", name: o.name, checked: o.default }), ` ${o.name}`)
        : h("label", {}, `${o.name} `, h("input", { type: "number", name: o.name, step: "any", min: 0, max: o.most, placeholder: o.default ?? "" })),
    ));
    more.hidden = !bot?.options.length;
  }
  /** @param {string} id */
  function choose(id) {
    select.value = id;
    options();
  }
  choose(first);
  return {
    select,
    choose,
    element: h("div", { class: "seat" }, h("label", { for: `seat-${seat}` }, `Seat ${seat + 1}${partner}`), select, h("details", { class: "more" }, h("summary", {}, "options"), more)),
    chosen() {
      if (select.value === PERSON) return null;
      /** @type {Record<string, number | boolean>} */
      const given = {};
      for (const input of more.querySelectorAll("input")) {
        if (input.type === "checkbox") {
          if (input.checked !== input.defaultChecked) given[input.name] = input.checked;
        } else if (input.value !== "") given[input.name] = Number(input.value);
      }
      return { id: select.value, options: given };
    },
  };
}
