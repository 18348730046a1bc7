/**
 * Make elements of HTML and SVG, and move them.
 *
 * @module
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */
/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Set attributes; null, undefined and false leave one out, true sets an empty one.
 *
 * @param {Element} element
 * @param {Attributes} attributes
 */
function adorn(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function fill(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Return a new HTML element.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  adorn(element, attributes);
  fill(element, children);
  return element;
}

/**
 * Return a new SVG element.
 *
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  adorn(element, attributes);
  fill(element, children);
  return element;
}

/**
 * Return a picture of the given size in pixels that shrinks with the room it has.
 *
 * @param {number} width
 * @param {number} height
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function picture(width, height, attributes = {}, ...children) {
  const box = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg", { ...box, ...attributes }, ...children);
}

/**
 * Return a text; by default its middle is at the point.
 *
 * @param {number} x
 * @param {number} y
 * @param {string | number} words
 * @param {Attributes} [attributes]
 */
export function label(x, y, words, attributes = {}) {
  const middle = { "text-anchor": "middle", "dominant-baseline": "central" };
  return svg("text", { x, y, ...middle, ...attributes }, String(words));
}

/**
 * Return a rectangle.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Attributes} [attributes]
 */
export function rect(x, y, width, height, attributes = {}) {
  return svg("rect", { x, y, width: Math.max(width, 0), height, ...attributes });
}

/**
 * Return a circle.
 *
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {Attributes} [attributes]
 */
export function circle(cx, cy, r, attributes = {}) {
  return svg("circle", { cx, cy, r, ...attributes });
}

/** Return whether the reader's system asks for little motion. */
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Let an element come from elsewhere to where it is.
 *
 * @param {Element} element
 * @param {number} dx where it comes from, seen from where it is
 * @param {number} dy
 * @param {{ms?: number, fade?: boolean, lift?: number}} [options]
 */
export function glide(element, dx, dy, { ms = 320, fade = false, lift = 0 } = {}) {
  if (calm() || (!dx && !dy && !fade)) return;
  const middle = `translate(${dx / 2}px, ${dy / 2 - lift}px)`;
  element.animate(
    [
      { transform: `translate(${dx}px, ${dy}px)`, ...(fade ? { opacity: 0 } : {}) },
      ...(lift ? [{ transform: middle }] : []),
      { transform: "none", ...(fade ? { opacity: 1 } : {}) },
    ],
    { duration: ms, easing: "cubic-bezier(.3,.9,.3,1)" },
  );
}
