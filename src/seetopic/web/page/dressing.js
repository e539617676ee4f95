// A view that is loaded when it is first asked for brings its own look.

/** Resolves once the style sheet is in force, so that nothing is shown without it. */
export function dressed(address) {
  if (document.querySelector(`link[href="${CSS.escape(address)}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address, onload: resolve, onerror: resolve });
    document.head.append(link);
  });
}
