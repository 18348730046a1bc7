/**
 * Loads the board of a game and keeps it up to date.
 *
 * @module
 */

/** @typedef {import("./boards/types.js").Props} Props */

/**
 * Return a function that draws a position in `element`, with the board of this name.
 *
 * @param {HTMLElement} element
 * @param {string} name
 * @param {(action: number) => void} onAction
 */
export async function loadBoard(element, name, onAction) {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`there is no board ${name}`);
  /** @type {{mount: import("./boards/types.js").Mount}} */
  const { mount } = await import(`/static/boards/${name}.js`);
  /** @type {import("./boards/types.js").Board | null} */
  let board = null;
  return {
    /** @param {Props} props */
    draw(props) {
      if (board) board.update(props);
      else board = mount(element, { ...props, onAction });
    },
    destroy() {
      board?.destroy();
      board = null;
    },
  };
}

/**
 * Return whether a key belongs to the page and not to a field in which somebody types.
 *
 * @param {KeyboardEvent} event
 */
export function pageKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.target;
  return !(target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement);
}
