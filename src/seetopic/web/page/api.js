// Requests to the workbench: JSON in and out, errors as sentences. The browser adds the session cookie.

// The server requires this header for changes: other sites can make a browser send the cookie, but not this.
const PAGE = { "X-Seetopic-Page": "1" };

/** `message` comes from the server; `status` 0 means that the server could not be reached. */
export class Problem extends Error {
  constructor(message, status, body) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.body = body;
  }

  get unreachable() {
    return this.status === 0;
  }
}

/** url`/api/projects/${id}/check?name=${name}`: values are escaped. */
export function url(pieces, ...given) {
  return pieces.reduce((whole, piece, at) => whole + encodeURIComponent(given[at - 1]) + piece);
}

export const get = (path, options = {}) => ask("GET", path, undefined, options);
export const post = (path, body = {}, options = {}) => ask("POST", path, body, options);
export const del = (path, options = {}) => ask("DELETE", path, undefined, options);

/** The newest version, or null if it still has this tag. */
export async function newer(path, tag, { signal } = {}) {
  const response = await reach(path, { headers: { "If-None-Match": tag }, cache: "no-store", signal });
  return response.status === 304 ? null : content(response);
}

/** Upload a file; `told(share)` is called with the share sent so far. Returns {done: Promise, stop()}. */
export function upload(path, file, told) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve, reject) => {
    request.open("POST", path);
    for (const [name, value] of Object.entries(PAGE)) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "text";
    request.upload.onprogress = (event) => event.lengthComputable && told(event.loaded / event.total);
    request.onerror = () =>
      reject(
        new Problem("The upload failed: the workbench cannot be reached, or it rejected the file.", 0, null),
      );
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body);
      else reject(problemOf(request.status, body));
    };
    request.send(file);
  });
  return { done, stop: () => request.abort() };
}

async function ask(method, path, body, { signal, keepalive = false } = {}) {
  const headers = { ...PAGE };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  return content(await reach(path, { method, headers, body: text, signal, keepalive }));
}

async function reach(path, options) {
  try {
    return await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The workbench cannot be reached.", 0, null);
  }
}

async function content(response) {
  if (response.status === 204) return null;
  let text;
  try {
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The workbench cannot be reached.", 0, null);
  }
  const body = parsed(text);
  if (!response.ok) throw problemOf(response.status, body);
  return body;
}

// Objects have users' words as keys, so "constructor" must not be inherited.
const bare = (_, value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value;

function parsed(text) {
  try {
    return JSON.parse(text, bare);
  } catch {
    return null;
  }
}

function problemOf(status, body) {
  const sentence =
    typeof body?.problem === "string" ? body.problem : `The workbench returned status ${status} without a reason; try again.`;
  return new Problem(sentence, status, body);
}
