import assert from "node:assert/strict";
import { Compile, type Validator } from "typebox/compile";

/** A response as a test receives it. */
export interface Received {
  method: string;
  /** With the query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON that this file walks through
type Json = any;

let document: Promise<Json> | undefined;

/**
 * Fails unless the OpenAPI document of the server at `url` lists the status of the response, its media type and the code
 * of its error, and its JSON matches the schema. The document is read once per process: it is the same for every server.
 */
export async function assertDocumented(url: string, received: Received): Promise<void> {
  document ??= fetch(`${url}/openapi.json`).then((response) => response.json());
  const { method, path, status, headers, text } = received;
  const { paths, components } = await document;
  const operation = operationFor(paths, method, path);
  if (operation === undefined) return;
  const where = `${method} ${path.slice(0, 100)}: ${status} ${text.slice(0, 300)}`;
  const listed = operation.responses[status];
  assert.ok(listed !== undefined, `${where} is not in the OpenAPI document`);
  const response = listed.$ref === undefined ? listed : components.responses[listed.$ref.split("/").at(-1)];
  const mediaType = headers.get("content-type")?.split(";", 1)[0] ?? "";
  if (text !== "") assert.ok(response.content?.[mediaType], `${where} has the media type ${mediaType}`);
  for (const name of ["etag", "retry-after", "www-authenticate"]) {
    if (headers.has(name)) assert.ok(documents(response.headers, name), `${where} has the header ${name}`);
  }
  if (mediaType === "application/json")
    assertMatches(response.content[mediaType].schema, components, text, where);
}

const validators = new Map<string, Validator>();

/** An error's schema lists its codes, so this also checks the code. */
function assertMatches(schema: Json, components: Json, text: string, where: string): void {
  const key = JSON.stringify(schema);
  const validator = validators.get(key) ?? Compile({ ...schema, components });
  validators.set(key, validator);
  const value: unknown = JSON.parse(text);
  if (validator.Check(value)) return;
  assert.fail(`${where} differs from its schema: ${JSON.stringify(validator.Errors(value))}`);
}

function operationFor(paths: Json, method: string, path: string): Json {
  const segments = path.split(/[?#]/, 1)[0]?.split("/") ?? [];
  const matching = Object.keys(paths).filter((pattern) => {
    const wanted = pattern.split("/");
    return (
      wanted.length === segments.length &&
      wanted.every((segment, index) => isSegment(segment, segments[index] ?? ""))
    );
  });
  // A fixed segment wins over a parameter, as in the router.
  const [best] = matching.sort((a, b) => a.split("{").length - b.split("{").length || b.length - a.length);
  return best === undefined ? undefined : paths[best][method.toLowerCase()];
}

/** `pattern`: `agents`, `{id}` or `{id}.webm`. */
function isSegment(pattern: string, segment: string): boolean {
  const [before = "", after] = pattern.split(/\{\w+\}/);
  if (after === undefined) return segment === pattern;
  return (
    segment.length > before.length + after.length && segment.startsWith(before) && segment.endsWith(after)
  );
}

function documents(headers: Json, name: string): boolean {
  return Object.keys(headers).some((known) => known.toLowerCase() === name);
}
