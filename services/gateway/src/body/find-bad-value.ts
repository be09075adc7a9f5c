/**
 * Escapes that can stand for text that is not Unicode, or for NUL, and numbers that can be out of range. Most bodies
 * have none of them. Long digits are looked for at their beginning only, which keeps the search linear.
 */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])|\d[eE]\+?\d{3}|(?<!\d)\d{200}/;

/**
 * Path and problem of a value that cannot be carried on faithfully: text with NUL or with half a surrogate pair (it
 * would silently turn into U+FFFD on the way), or a number beyond a double (it would turn into `null`). `text` is
 * the JSON that `value` was parsed from.
 */
export function findBadValue(text: string, value: unknown): { path: string; message: string } | undefined {
  return suspicious.test(text) ? search(value, "") : undefined;
}

type Finding = { path: string; message: string };

// The depth was bounded before, so recursion is safe.
function search(value: unknown, path: string): Finding | undefined {
  if (typeof value === "string") return judge(value, path);
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { path, message: "must be a number between -1.8e308 and 1.8e308" };
  }
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
