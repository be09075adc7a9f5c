import { type JsonResult, type JsonValue, parseJson } from "@muster/language/json";

/** Reads the complete text of an object. Models without a native JSON mode often wrap JSON in a Markdown fence. */
export function parseObjectText(text: string): JsonResult<JsonValue> {
  return parseJson(withoutFence(text));
}

function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```") || !trimmed.includes("\n")) return trimmed;
  return trimmed.slice(trimmed.indexOf("\n") + 1, -3);
}

/**
 * The readable part of JSON that breaks off: complete members and items, and strings as far as they are written.
 * Undefined if nothing can be read, or the text is not the beginning of JSON.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const whole = parseObjectText(text);
  if (whole.ok) return whole.value;
  const begun = text.trimStart().replace(/^```[^\n]*\n/, "");
  for (const repaired of repairsOf(begun)) {
    const parsed = parseJson(repaired);
    if (parsed.ok) return parsed.value;
  }
  return undefined;
}

/** The text cut at a place that can be closed: first with the string in progress, then without the last member. */
function repairsOf(text: string): string[] {
  const { closers, inString, isKey, lastCut } = scan(text);
  const repairs: string[] = [];
  if (inString && !isKey) repairs.push(`${withoutEscape(text)}"${closers}`);
  if (!inString) repairs.push(text + closers);
  // Also the beginnings of `true`, of a number, and keys without a value.
  if (lastCut !== undefined) repairs.push(text.slice(0, lastCut.at) + lastCut.closers);
  return repairs;
}

/** Half an escape sequence, or half a pair of surrogates, cannot be shown. */
function withoutEscape(text: string): string {
  const cut = text.replace(/[\uD800-\uDBFF]$/, "").replace(/\\u[\dA-Fa-f]{0,3}$/, "");
  const backslashes = /\\*$/.exec(cut)?.[0].length ?? 0;
  const even = backslashes % 2 === 0 ? cut : cut.slice(0, -1);
  return even.replace(/\\u[Dd][89AaBb][\dA-Fa-f]{2}$/, "");
}

interface Cut {
  at: number;
  closers: string;
}

interface Scan {
  /** The text that closes the open objects and arrays. */
  closers: string;
  inString: boolean;
  /** The string in progress is the key of a member. */
  isKey: boolean;
  /** The end of the last complete member or item, or the beginning of the innermost object or array. */
  lastCut: Cut | undefined;
}

function scan(text: string): Scan {
  const open: string[] = [];
  const closers = () => open.toReversed().join("");
  let [inString, isKey, expectsKey] = [false, false, false];
  let cut: { at: number; depth: number } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    switch (character) {
      case '"':
        [inString, isKey] = [true, expectsKey];
        break;
      case "{":
      case "[":
        open.push(character === "{" ? "}" : "]");
        expectsKey = character === "{";
        cut = { at: at + 1, depth: open.length };
        break;
      case "}":
      case "]":
        open.pop();
        expectsKey = false;
        cut = open.length === 0 ? undefined : { at: at + 1, depth: open.length };
        break;
      case ",":
        expectsKey = open.at(-1) === "}";
        cut = { at, depth: open.length };
        break;
      case ":":
        expectsKey = false;
        break;
    }
  }
  const lastCut = cut && { at: cut.at, closers: open.slice(0, cut.depth).toReversed().join("") };
  return { closers: closers(), inString, isKey, lastCut };
}
