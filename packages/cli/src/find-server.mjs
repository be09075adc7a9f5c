// JavaScript, because a TypeScript module that is loaded before a server has set up Node's compile cache makes Node load its
// TypeScript compiler.

export async function findServer() {
  const url = addressOf("@muster/serve");
  if (url === undefined) return undefined;
  const module = await import(url);
  if (!isServer(module)) throw new Error(`${url} is of another version`);
  return module;
}

/** Not a dependency of this package: the published command must not contain the server. */
function addressOf(name) {
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  }
}

function isServer(module) {
  return Array.isArray(module.processNames) && typeof module.serve === "function";
}
