import { forbiddenKeys, maxJsonDepth } from "@muster/language";

/** Why a text is refused before it is parsed: a sentence without a subject. */
export class JsonRefusal extends Error {}

/** The text is within the byte limit but would take too much work: too many values, or nested too deeply. */
export class JsonTooLarge extends JsonRefusal {}

/** Values and keys of one body. Every later step takes time in proportion to their number, on a thread that all projects share. */
export const maxJsonNodes = 100_000;

/**
 * Checks a JSON text for problems that `JSON.parse` ignores: repeated keys (it would keep the last, other
 * parsers the first), prototype keys, deep nesting, and more nodes than {@link maxJsonNodes}. Throws
 * {@link JsonRefusal}. The rest of the grammar is left to `JSON.parse`, which must run afterwards.
 * Returns the number of nodes of a valid text.
 */
export function scanJson(text: string): number {
  // One set of keys per level, reused for every object on that level.
  const keysByDepth: Array<Set<string>> = [];
  const isObject: boolean[] = [];
  let depth = 0;
  let nodes = 0;
  let atKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    switch (code) {
      case 0x22: {
        assertNodes(++nodes);
        const end = endOfString(text, i);
        if (atKey) noteKey(keysByDepth[depth], text.slice(i, end + 1));
        atKey = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b:
        assertNodes(++nodes);
        if (++depth > maxJsonDepth) throw new JsonTooLarge(`is nested more than ${maxJsonDepth} levels deep`);
        atKey = isObject[depth] = code === 0x7b;
        if (atKey) emptySet(keysByDepth, depth);
        break;
      case 0x7d:
      case 0x5d:
        // One closing bracket too many, which JSON.parse reports better.
        if (--depth < 0) return nodes;
        atKey = false;
        break;
      case 0x2c:
        atKey = isObject[depth] === true;
        break;
      case 0x3a:
        break;
      default:
        if (code > 0x20) assertNodes(++nodes);
        i = endOfRun(text, i, code > 0x20 ? scalarEnd : whitespaceEnd);
    }
  }
  return nodes;
}

/** Ends a number, `true`, `false` or `null`. */
const scalarEnd = /[\s",:[\]{}]/g;
const whitespaceEnd = /[^\s]/g;

/** Index of the last character of the run that `start` is in. */
function endOfRun(text: string, start: number, end: RegExp): number {
  end.lastIndex = start + 1;
  return (end.exec(text)?.index ?? text.length) - 1;
}

function assertNodes(nodes: number): void {
  if (nodes > maxJsonNodes) throw new JsonTooLarge(`has more than ${maxJsonNodes} values and keys`);
}

function emptySet(sets: Array<Set<string>>, depth: number): void {
  const existing = sets[depth];
  if (existing) existing.clear();
  else sets[depth] = new Set();
}

/** Index of the closing quote of the string that opens at `start`; the end of the text if there is none. */
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
