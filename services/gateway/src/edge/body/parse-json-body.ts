import { forbiddenKeys, maxJsonDepth } from "@muster/language";
import { badRequest } from "../errors/from-any.ts";
import { HttpProblem } from "../errors/http-problem.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The only judge of request bodies; `BodyReader` calls it, on another thread for large ones. It is strict where common parsers are lenient: invalid UTF-8, duplicate keys and
 * prototype keys are INVALID_JSON; NUL, broken surrogates and numbers out of range INVALID_REQUEST; too many values
 * or levels PAYLOAD_TOO_LARGE. An empty body is `undefined`, so that routes without a body accept it.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const text = decodeBody(bytes);
  const value = parse(text);
  const bad = findBadValue(text, value);
  if (bad) throw badRequest("body", [bad]);
  return value;
}

/** Throws INVALID_JSON unless the bytes are UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpProblem("INVALID_JSON", "The body must be UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    scanJson(text);
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the body; this one must not.
    const problem = error instanceof JsonRefusal ? error.message : "is not valid JSON";
    const code = error instanceof JsonTooLarge ? "PAYLOAD_TOO_LARGE" : "INVALID_JSON";
    throw new HttpProblem(code, `The body ${problem}.`);
  }
}

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
function findBadValue(text: string, value: unknown): { path: string; message: string } | undefined {
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

/** Why a text is refused before it is parsed: a sentence without a subject. */
class JsonRefusal extends Error {}

/** The text is within the byte limit but would take too much work: too many values, or nested too deeply. */
class JsonTooLarge extends JsonRefusal {}

/** Values and keys of one body. Every later step takes time in proportion to their number, on a thread that all projects share. */
const maxJsonNodes = 100_000;

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
