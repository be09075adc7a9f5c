import { forbiddenKeys, maxJsonDepth } from "@muster/protocol";

/** Why a text is refused before it is parsed. */
export class JsonRefusal extends Error {}

/**
 * Looks through a JSON text for what `JSON.parse` lets pass: keys given twice (it would keep the last, other
 * parsers the first), prototype keys, and nesting without bound. Throws {@link JsonRefusal}. Everything else about
 * the grammar is left to `JSON.parse`, which has to run afterwards.
 */
export function scanJson(text: string): void {
  // One set of keys per level, reused for every object on that level.
  const keysByDepth: Array<Set<string>> = [];
  const isObject: boolean[] = [];
  let depth = 0;
  let atKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i);
        if (atKey) noteKey(keysByDepth[depth], text.slice(i, end + 1));
        atKey = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b:
        if (++depth > maxJsonDepth) throw new JsonRefusal(`is nested more than ${maxJsonDepth} levels deep`);
        atKey = isObject[depth] = text.charCodeAt(i) === 0x7b;
        if (atKey) emptySet(keysByDepth, depth);
        break;
      case 0x7d:
      case 0x5d:
        // A closing bracket too many; JSON.parse says it better.
        if (--depth < 0) return;
        atKey = false;
        break;
      case 0x2c:
        atKey = isObject[depth] === true;
        break;
    }
  }
}

function emptySet(sets: Array<Set<string>>, depth: number): void {
  const existing = sets[depth];
  if (existing) existing.clear();
  else sets[depth] = new Set();
}

/** Index of the closing quote of the string that opens at `start`; the text's end when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function noteKey(keys: Set<string> | undefined, quoted: string): void {
  const key = quoted.includes("\\") ? unescapeKey(quoted) : quoted.slice(1, -1);
  if (forbiddenKeys.has(key)) throw new JsonRefusal(`must not have the key ${JSON.stringify(key)}`);
  if (keys?.has(key)) throw new JsonRefusal(`has the key ${JSON.stringify(key.slice(0, 100))} twice`);
  keys?.add(key);
}

function unescapeKey(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new JsonRefusal("is not valid JSON");
  }
}
