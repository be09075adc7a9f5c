import { type FileRef, fileRefOf } from "@muster/engine";
import { isFileSchema, isJsonObject, type JsonSchema, type JsonValue, type Program } from "@muster/language";

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
const maxIdLength = 200;
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
