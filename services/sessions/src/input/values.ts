import { type FileRef, fileRefOf } from "@muster/engine";
import {
  checkInput,
  findJsonProblem,
  type InputOptions,
  isFileSchema,
  isJsonObject,
  isJsonValue,
  type JsonResult,
  type JsonSchema,
  type JsonValue,
  type Program,
  parseJson,
} from "@muster/language";
import { defaultSliceLength, nextTurn, parseInSlices, turnIfSpent } from "@muster/large-data";
import { Reason } from "@muster/proto/errors";
import { firstProblems, type Issues, rpcError } from "@muster/rpc";
import { keepText } from "../store/state-text.ts";

/** Ids in restored messages have the same limit. */
const maxIdLength = 200;

export function checkId(issues: Issues, path: string, id: string): void {
  issues.checkLength(path, id, { min: 1, max: maxIdLength });
}

/** Empty text means {}. */
export async function readObject(
  issues: Issues,
  path: string,
  text: string,
): Promise<Record<string, JsonValue>> {
  if (text === "") return {};
  const parsed = await readJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  issues.add(path, parsed.ok ? "must be a JSON object" : parsed.problem);
  return {};
}

/**
 * Parses untrusted text like `parseJson`, in a tick that has time for it; long text in slices, so that it does not
 * block the main loop.
 */
export async function readJson(text: string): Promise<JsonResult<JsonValue>> {
  if (text.length < defaultSliceLength) {
    // Shorter text may take tens of milliseconds as well, and many may arrive in one moment.
    await turnIfSpent();
    return parseJson(text);
  }
  try {
    const value = await parseInSlices(text);
    await nextTurn();
    if (!isJsonValue(value)) return { ok: false, problem: findJsonProblem(value) ?? "must be JSON" };
    keepText(value, text);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: "must be valid JSON" };
    throw error;
  }
}

/**
 * The values with defaults filled in. Throws INVALID_INPUT with every value that does not match its declaration.
 * `within`: precedes the paths of the issues.
 */
export function checkedInput(
  specs: Program["input"],
  given: Record<string, JsonValue>,
  { within = "", ...options }: InputOptions & { within?: string | undefined } = {},
): Record<string, JsonValue> {
  const checked = checkInput(specs, given, options);
  if (checked.ok) return checked.values;
  const issues = checked.issues.map(({ path, message }) => ({
    path: path === "" ? `${within}input` : `${within}input.${path}`,
    message,
  }));
  const problems = firstProblems(issues.map(({ message }) => message));
  throw rpcError(Reason.INVALID_INPUT, problems, { issues });
}

/** A file that a caller names. */
export interface GivenFile {
  /** Dotted: `input.PHOTOS.0`. */
  path: string;
  file: FileRef;
}

interface Issue {
  path: string;
  message: string;
}

/** The files in checked values, in their order. */
export function filesIn(
  specs: Program["input"],
  values: Readonly<Record<string, JsonValue>>,
  within = "input",
): GivenFile[] {
  const found: GivenFile[] = [];
  for (const [name, { schema }] of Object.entries(specs)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) collect(schema, value, `${within}.${name}`, found);
  }
  return found;
}

/** Every variant of a union with the value's fields is searched: a file in any of them is one. */
function collect(schema: JsonSchema, value: JsonValue, path: string, found: GivenFile[]): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (isJsonObject(items))
      for (const [index, item] of value.entries()) collect(items, item, `${path}.${index}`, found);
    return;
  }
  if (!isJsonObject(value)) return;
  const file = isFileSchema(schema) ? fileRefOf(value) : undefined;
  if (file !== undefined) {
    if (!found.some((other) => other.path === path)) found.push({ path, file });
    return;
  }
  const { properties, anyOf } = schema;
  if (isJsonObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const inner = Object.hasOwn(value, name) ? value[name] : undefined;
      if (isJsonObject(property) && inner !== undefined) collect(property, inner, `${path}.${name}`, found);
    }
  }
  if (Array.isArray(anyOf))
    for (const variant of anyOf) if (isJsonObject(variant)) collect(variant, value, path, found);
}

/** Files of one value, such as the result of a tool. */
export const maxFiles = 20;
const maxMediaTypeLength = 255;
const maxUrlLength = 2_000;
const maxFilenameLength = 255;

/** The problems of a file itself. Its URL and its type depend on the installation and are checked with the rest of the request. */
export function issuesOfFile({ path, file }: GivenFile): Issue[] {
  const issues: Issue[] = [];
  const add = (field: string, message: string) => void issues.push({ path: `${path}.${field}`, message });
  const { id, mediaType, url, filename, size } = file;
  if (!hasLength(id, maxIdLength)) add("id", `must have 1 to ${maxIdLength} characters`);
  if (!hasLength(mediaType, maxMediaTypeLength))
    add("mediaType", `must have 1 to ${maxMediaTypeLength} characters`);
  if (!hasLength(url, maxUrlLength)) add("url", `must have 1 to ${maxUrlLength} characters`);
  if (filename !== undefined && !isFilename(filename)) {
    const expected = `must have 1 to ${maxFilenameLength} characters, without path separators and control characters`;
    add("filename", expected);
  }
  if (size !== undefined && (!Number.isSafeInteger(size) || size < 0))
    add("size", "must be a number of bytes");
  return issues;
}

function hasLength(text: string, max: number): boolean {
  return text.length >= 1 && text.length <= max && text.isWellFormed();
}

function isFilename(text: string): boolean {
  return hasLength(text, maxFilenameLength) && !/[/\\\p{Cc}]/u.test(text);
}
