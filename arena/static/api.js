/**
 * Talks to the server.
 *
 * @module
 */

/**
 * Return what an address answers; raise an Error that says what is wrong.
 *
 * @param {string} path
 * @param {object} [body] sent as JSON with POST
 * @returns {Promise<any>}
 */
export async function api(path, body) {
  /** @type {RequestInit} */
  const request = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(`/api/${path}`, request);
  } catch {
    throw new Error("the arena does not answer; is it still running?");
  }
  const told = await answer.json().catch(() => ({ error: `error ${answer.status}` }));
  if (!answer.ok) throw new Error(told.error ?? `error ${answer.status}`);
  return told;
}

/**
 * Listen to a game until the returned function is called. A hidden page does not listen, because
 * browsers open only a few streams at a time.
 *
 * @param {string} key
 * @param {(told: any) => void} hear
 * @returns {() => void}
 */
export function listen(key, hear) {
  /** @type {EventSource | null} */
  let source = null;
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource(`/api/tables/${key}/news`);
    source.onmessage = (event) => hear(JSON.parse(event.data));
  };
  const close = () => {
    source?.close();
    source = null;
  };
  const change = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", change);
  open();
  return () => {
    document.removeEventListener("visibilitychange", change);
    close();
  };
}
