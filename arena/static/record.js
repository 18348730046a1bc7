/**
 * Games as files and as links that contain the whole game.
 *
 * @module
 */

import { api } from "./api.js";

/**
 * @param {Uint8Array} bytes
 * @param {GenericTransformStream} through
 */
async function piped(bytes, through) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(
    /** @type {ReadableWritablePair<Uint8Array, BufferSource>} */ (/** @type {unknown} */ (through)),
  );
  return new Uint8Array(await new Response(/** @type {ReadableStream} */ (stream)).arrayBuffer());
}

/**
 * Return a link to this arena that contains the game.
 *
 * @param {object} record
 */
export async function linkOf(record) {
  const slim = { ...record, luck: undefined, words: undefined };
  const bytes = new TextEncoder().encode(JSON.stringify(slim));
  const packed = await piped(bytes, new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...packed));
  const code = text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.origin}/open#${code}`;
}

/**
 * Return the game in a link.
 *
 * @param {string} code what follows the # in it
 */
export async function recordIn(code) {
  const text = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const bytes = await piped(packed, new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * Store a game and return the address of its analysis.
 *
 * @param {unknown} record
 */
export async function keep(record) {
  const { id } = await api("records", { record });
  return `/analysis/${id}`;
}

/**
 * Return the games in a text: one as JSON, or one on each line.
 *
 * @param {string} text
 * @returns {object[]}
 */
export function recordsIn(text) {
  try {
    const whole = JSON.parse(text);
    return Array.isArray(whole) ? whole : [whole];
  } catch {
    return text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  }
}

/**
 * Let the browser save a game as a file.
 *
 * @param {any} record
 * @param {string} name
 */
export function save(record, name) {
  const link = document.createElement("a");
  const blob = new Blob([JSON.stringify(record)], { type: "application/json" });
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
