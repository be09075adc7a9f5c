/**
 * Escapes that may denote NUL or text that is not Unicode, and numbers that may be out of range. Most bodies
 * contain none of them. Long runs of digits match only at their beginning, which keeps the search linear.
 */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])|\d[eE]\+?\d{3}|(?<!\d)\d{200}/;

/**
 * Path and problem of a value that cannot be passed on unchanged: text with NUL or with half a surrogate pair (it
 * would silently become U+FFFD), or a number beyond a double (it would become `null`). `text` is
 * the JSON that `value` was parsed from.
 */
export function findBadValue(text: string, value: unknown): { path: string; message: string } | undefined {
  return suspicious.test(text) ? search(value, "") : undefined;
}

type Finding = { path: string; message: string };

// The depth has been bounded already, so recursion is safe.
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
  if (text.includes("\0")) return { path, message: "must not contain a NUL character" };
  if (!text.isWellFormed()) return { path, message: "must be valid Unicode, without half a surrogate pair" };
  return undefined;
}
