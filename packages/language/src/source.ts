import { definitionLimits } from "./definition-limits.ts";
import { quote, type Report } from "./diagnostics.ts";
import { checkName, isName, type NameKind, nameHint, respelled } from "./names/names.ts";
import type { Format } from "./program.ts";

/** A definition as written by its author. */
export interface DefinitionSource {
  readonly settings: {
    readonly slug: string;
    readonly name: string;
    readonly description?: string | undefined;
    readonly format: Format;
  };
  /** YAML. */
  readonly protocol: string;
  readonly prompts: ReadonlyArray<{ readonly name: string; readonly content: string }>;
  readonly references: ReadonlyArray<{
    readonly name: string;
    readonly description: string;
    readonly content: string;
  }>;
}

export interface SizeProblem {
  readonly path: string;
  readonly message: string;
}

/** Reports the first limit of `definitionLimits` that a definition exceeds, without parsing it. */
export function findOversize(source: Omit<DefinitionSource, "settings">): SizeProblem | undefined {
  const limits = definitionLimits;
  const { protocol, prompts, references } = source;
  const sizes: Array<[path: string, what: string, size: number, limit: number, unit: string]> = [
    ["protocol", "The protocol has", bytes(protocol), limits.protocolBytes, "bytes"],
    ["prompts", "The list of prompts has", prompts.length, limits.prompts, "prompts"],
    ["references", "The list of references has", references.length, limits.references, "references"],
  ];
  const contents = (
    items: ReadonlyArray<{ content: string }>,
    name: string,
    each: number,
    all: number,
  ): void => {
    let total = 0;
    for (const [index, { content }] of items.entries()) {
      const size = bytes(content);
      total += size;
      sizes.push([`${name}.${index}.content`, "The text has", size, each, "bytes"]);
    }
    sizes.push([name, `All ${name} together have`, total, all, "bytes"]);
  };
  contents(prompts, "prompts", limits.promptBytes, limits.promptsBytes);
  contents(references, "references", limits.referenceBytes, limits.referencesBytes);
  const over = sizes.find(([, , size, limit]) => size > limit);
  if (over === undefined) return undefined;
  const [path, what, size, limit, unit] = over;
  return { path, message: `${what} ${size} ${unit}; the limit is ${limit}.` };
}

/** Checks everything except the protocol: the settings, and the names and texts of prompts and references. */
export function checkSource({ settings, prompts, references }: DefinitionSource, report: Report): void {
  checkSettings(settings, report);
  checkNames(prompts, "prompts", report);
  for (const [index, { name, content }] of prompts.entries())
    checkText(content, `prompts.${index}.content`, report, `the prompt ${quote(name)}`);
  checkNames(references, "references", report);
  for (const [index, { name, description, content }] of references.entries()) {
    const path = `references.${index}`;
    if (description.trim() === "") {
      const text = `The reference ${quote(name)} needs a description, so that the model knows when to read it.`;
      report.add("MISSING_FIELD", { path: `${path}.description` }, text);
    }
    checkDescription(description, `${path}.description`, report);
    checkText(content, `${path}.content`, report, `the reference ${quote(name)}`);
  }
}

function checkSettings({ slug, name, description = "" }: DefinitionSource["settings"], report: Report): void {
  if (!isName("slug", slug)) {
    const text = `The slug ${quote(slug)} must be ${nameHint("slug")}.`;
    const meant = respelled("slug", slug);
    report.add("INVALID_SLUG", { path: "settings.slug" }, text, meant === undefined ? [] : [meant]);
  }
  const path = "settings.name";
  if (name.trim() === "") report.add("MISSING_FIELD", { path }, "The name must not be empty.");
  else if (lineEnd.test(name))
    report.add("INVALID_TEXT", { path }, "The name must be a single line without tabs.");
  else checkText(name, path, report);
  checkLength(name, definitionLimits.nameLength, path, report);
  checkDescription(description, "settings.description", report);
}

const lineEnd = /[\t\n\r\u0085\u2028\u2029]/;

function checkDescription(text: string, path: string, report: Report): void {
  checkText(text, path, report);
  checkLength(text, definitionLimits.descriptionLength, path, report);
}

/** Characters outside the basic plane count once, as they do in JSON Schema. */
function checkLength(text: string, limit: number, path: string, report: Report): void {
  const isLonger = text.length > 2 * limit || (text.length > limit && [...text].length > limit);
  if (isLonger)
    report.add("LIMIT_EXCEEDED", { path }, `This is longer than the limit of ${limit} characters.`);
}

/**
 * Characters that no text needs and that cause problems in stores, terminals and model providers: control characters
 * except tabs and line breaks, and unpaired surrogates.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u;

/** Returns the index of the first character of a text that is not allowed; -1 if all are. */
export function findUnreadable(text: string): number {
  return text.search(unreadable);
}

function checkText(text: string, path: string, report: Report, where = "this text"): void {
  const offset = findUnreadable(text);
  if (offset < 0) return;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const position = { line, column: offset - before.lastIndexOf("\n") };
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  report.add("INVALID_TEXT", { path, position }, `The character U+${code} in ${where} is not allowed.`);
}

function checkNames(
  items: ReadonlyArray<{ name: string }>,
  list: "prompts" | "references",
  report: Report,
): void {
  const kind: NameKind = list === "prompts" ? "prompt" : "reference";
  const seen = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    const place = { path: `${list}.${index}.name` };
    checkName(kind, name, place, report);
    if (seen.has(name)) {
      const code = list === "prompts" ? "DUPLICATE_PROMPT" : "DUPLICATE_KEY";
      report.add(code, place, `The name ${quote(name)} is used twice.`);
    }
    seen.add(name);
  }
}

/** The compiler runs in browsers, too, which have no `Buffer`. */
function bytes(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
