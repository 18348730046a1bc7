/**
 * Small helpers to make elements.
 *
 * @module
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Return an element of HTML; attributes such as `onclick` are listeners.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

/**
 * Return an element of SVG.
 *
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes, children);
  return element;
}

/**
 * Put children into an element in place of what it holds.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  element.replaceChildren();
  fill(element, {}, children);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Show a line at the bottom of the page for some seconds.
 *
 * @param {unknown} words a text, or an error
 */
export function notice(words) {
  const element = document.getElementById("notice");
  if (!element) return;
  element.textContent = words instanceof Error ? words.message : String(words);
  element.classList.add("shown");
  clearTimeout(hiding);
  hiding = setTimeout(() => element.classList.remove("shown"), 5000);
}

/**
 * @param {number} seconds since 1970
 * @returns {string} the time as people say it
 */
export function when(seconds) {
  const date = new Date(1000 * seconds);
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString();
}

/**
 * Return words as a sentence.
 *
 * @param {string} words
 */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?)]$/.test(words) ? "" : ".");
}

/** @param {number} value @param {number} [digits] */
export function signed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}
