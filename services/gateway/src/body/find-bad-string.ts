/** Escapes that can stand for text that is not Unicode, or for NUL. Most bodies have none of them. */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Path and problem of a string that cannot be carried on faithfully: one with NUL, or with half a surrogate pair
 * (it would silently turn into U+FFFD on the way). `text` is the JSON that `value` was parsed from.
 */
export function findBadString(text: string, value: unknown): { path: string; message: string } | undefined {
  return suspicious.test(text) ? search(value, "") : undefined;
}

type Finding = { path: string; message: string };

// The depth was bounded before, so recursion is safe.
function search(value: unknown, path: string): Finding | undefined {
  if (typeof value === "string") return judge(value, path);
  if (value === null || typeof value !== "object") return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = judge(key, path) ?? search(item, path === "" ? key : `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

function judge(text: string, path: string): Finding | undefined {
  if (text.includes("\0")) return { path, message: "must not contain the character NUL" };
  if (!text.isWellFormed())
    return { path, message: "must be valid Unicode (half a surrogate pair was found)" };
  return undefined;
}
