import {
  compileTemplate,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  PromptTooLargeError,
  renderTemplate,
} from "@muster/language";

/** The values of one template together, in UTF-16 units: more than any message can have. */
const maxLength = 1024 * 1024;
/** A body can have many paths that lead nowhere, which names of many words might follow. */
const maxSteps = 100_000;
/** The name of the whole body. */
const wholeBody = "BODY";

/** A template cannot be filled with the values of this body. The message is a sentence for users. */
export class FillProblem extends Error {}

/**
 * Fills a template with values of a body: `{{ISSUE_TITLE}}` is `issue.title`, `{{COMMITS_0_ID}}` the id of the first of `commits`,
 * and `{{BODY}}` all of it as JSON. Values are data: a name in one stays text. A value that does not exist reads as NONE
 * and is falsy. Throws FillProblem.
 */
export function fillTemplate(source: string, body: JsonValue): string {
  const compiled = compileTemplate(source);
  if ("problem" in compiled) throw new FillProblem(compiled.problem);
  const search: Search = { upperKeys: new Map(), stepsLeft: maxSteps };
  let left = maxLength;
  const values: Record<string, JsonValue> = {};
  for (const name of compiled.names) {
    const value = name === wholeBody ? body : valueAt(body, name, search);
    // Containers become text here, so that their sizes are known before anything is filled in.
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
    if (typeof text === "string") left -= text.length;
    if (left < 0) throw new FillProblem(`The values in the template have more than ${maxLength} characters.`);
    values[name] = typeof text === "string" ? plainText(text) : (text ?? null);
  }
  try {
    return renderTemplate(compiled.template, values);
  } catch (error) {
    throw error instanceof PromptTooLargeError ? new FillProblem(error.message) : error;
  }
}

/** Messages contain neither NUL nor half a character. */
function plainText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

interface Search {
  /** The keys of each object by their names in templates. */
  upperKeys: Map<JsonObject, Map<string, string>>;
  stepsLeft: number;
}

/** The value whose path, in capital letters and joined by `_`, is the name. Of several, the one with the longest first key. */
function valueAt(value: JsonValue, name: string, search: Search): JsonValue | undefined {
  if (Array.isArray(value)) {
    const [, index, rest] = /^(\d{1,6})(?:_(.+))?$/.exec(name) ?? [];
    const item: JsonValue | undefined = index === undefined ? undefined : value[Number(index)];
    return item === undefined || rest === undefined ? item : valueAt(item, rest, search);
  }
  if (!isJsonObject(value)) return undefined;
  const { upperKeys } = search;
  const keys = upperKeys.get(value) ?? new Map(Object.keys(value).map((key) => [upperCase(key), key]));
  upperKeys.set(value, keys);
  for (let end = name.length; end > 0; end = name.lastIndexOf("_", end - 1)) {
    if (--search.stepsLeft < 0)
      throw new FillProblem("The names in the template fit too many paths of the body.");
    const key = keys.get(name.slice(0, end));
    const item = key === undefined ? undefined : value[key];
    if (item === undefined) continue;
    const found = end === name.length ? item : valueAt(item, name.slice(end + 1), search);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `pullRequest`, `pull-request` and `pull_request` are `PULL_REQUEST`. */
function upperCase(key: string): string {
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
  return words
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase();
}
