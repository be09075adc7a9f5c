import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { DefinitionSource } from "../index.ts";
import { folderLimits, settingsFile } from "./layout.ts";
import { at, type FolderProblem, positionOf } from "./problems.ts";
import { textProblem } from "./text-file.ts";

export type Settings = DefinitionSource["settings"];

const keys = ["slug", "name", "description", "format"] as const;

/** Reads `settings.json`. The key `$schema` is for editors and is ignored. */
export function parseSettings(text: string, problems: FolderProblem[]): Settings | undefined {
  const count = problems.length;
  const report = (message: string, offset?: number) =>
    problems.push({
      path: settingsFile,
      message: offset === undefined ? message : at(text, offset, message),
    });
  const fields = parseFields(text, report);
  if (fields === undefined) return undefined;
  for (const [key, { offset }] of fields) {
    if (key !== "$schema" && !keys.some((known) => known === key))
      report(`Unknown key ${JSON.stringify(key)}. Allowed keys: ${keys.join(", ")}.`, offset);
  }
  const read = (key: (typeof keys)[number]) => stringField(fields, key, report);
  const [slug, name, description, format] = [read("slug"), read("name"), read("description"), read("format")];
  for (const problem of settingProblems({ name, description, format }))
    report(problem.message, fields.get(problem.key)?.offset);
  if (problems.length > count || slug === undefined || name === undefined) return undefined;
  return makeSettings(slug, name, description, format === "worker" ? "worker" : "interactive");
}

/** An empty description counts as absent. */
function makeSettings(
  slug: string,
  name: string,
  description: string | undefined,
  format: Settings["format"],
): Settings {
  return description === undefined || description === ""
    ? { slug, name, format }
    : { slug, name, description, format };
}

/** Settings that the server would reject. The slug is checked by the compiler. */
export function settingProblems(settings: {
  name?: string | undefined;
  description?: string | undefined;
  format?: string | undefined;
}): Array<{ key: (typeof keys)[number]; message: string }> {
  const { name, description, format } = settings;
  const { nameLength, descriptionLength } = folderLimits;
  const found: Array<{ key: (typeof keys)[number]; message: string }> = [];
  if (
    name !== undefined &&
    (name.trim() === "" || name.length > nameLength || /\p{Cc}/u.test(name) || !name.isWellFormed())
  )
    found.push({
      key: "name",
      message: `The name must be 1 to ${nameLength} characters without control characters.`,
    });
  if (
    description !== undefined &&
    (description.length > descriptionLength || textProblem(description) !== undefined)
  )
    found.push({
      key: "description",
      message: `The description must be at most ${descriptionLength} characters without control characters.`,
    });
  if (format !== undefined && format !== "interactive" && format !== "worker")
    found.push({ key: "format", message: "The format must be interactive or worker." });
  return found;
}

type Report = (message: string, offset?: number) => void;
/** `text` is undefined for values that are not strings. */
type Fields = Map<string, { offset: number; text: string | undefined }>;

function parseFields(text: string, report: Report): Fields | undefined {
  if (text.startsWith("\ufeff")) {
    report("The file begins with a byte order mark. Save it as UTF-8 without one.", 0);
    return undefined;
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    report(
      `The file is not valid JSON (${wordsOf(printParseErrorCode(error?.error ?? 4))}).`,
      error?.offset ?? 0,
    );
    return undefined;
  }
  if (root.type !== "object") {
    report(
      'The file must contain an object such as { "slug": "support", "name": "Support", "format": "interactive" }.',
      root.offset,
    );
    return undefined;
  }
  const fields: Fields = new Map();
  for (const { offset, children: [key, value] = [] } of root.children ?? []) {
    const name = String(key?.value);
    if (fields.has(name)) report(`The key ${JSON.stringify(name)} appears twice.`, offset);
    const text: unknown = value?.type === "string" ? value.value : undefined;
    fields.set(name, { offset: value?.offset ?? offset, text: typeof text === "string" ? text : undefined });
  }
  return fields;
}

/** `ValueExpected` becomes "value expected". */
function wordsOf(code: string): string {
  return code.replace(/\B[A-Z]/g, " $&").toLowerCase();
}

function stringField(fields: Fields, key: (typeof keys)[number], report: Report): string | undefined {
  const field = fields.get(key);
  if (field === undefined) {
    if (key !== "description") report(`The key ${JSON.stringify(key)} is missing.`);
    return undefined;
  }
  if (field.text === undefined)
    report(`The value of ${JSON.stringify(key)} must be a string in quotes.`, field.offset);
  return field.text;
}

/** Returns the position of a value in the text of `settings.json`; undefined if the key is missing. */
export function locateSetting(text: string, key: string): { line: number; column: number } | undefined {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [key]);
  return node && positionOf(text, node.offset);
}

export function renderSettings(settings: Settings): string {
  const { slug, name, description, format } = settings;
  return `${JSON.stringify(makeSettings(slug, name, description, format), null, 2)}\n`;
}

/** Returns the text with the new settings. Unchanged values and the layout are kept where possible. */
export function updateSettings(text: string, settings: Settings): string {
  const current = parseSettings(text, []);
  if (current === undefined) return renderSettings(settings);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol };
  let updated = text;
  const { slug, name, description, format } = settings;
  const wanted = makeSettings(slug, name, description, format);
  for (const key of keys) {
    if (current[key] !== wanted[key])
      updated = applyEdits(updated, modify(updated, [key], wanted[key], { formattingOptions }));
  }
  return updated;
}
