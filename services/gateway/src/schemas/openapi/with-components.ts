import { isDeepStrictEqual } from "node:util";
import { responseHeaders } from "./headers.ts";

/** The parameters of every operation that needs a key, by the name of their component. */
const sharedParameters = {
  ProjectId: {
    name: "X-Project-Id",
    in: "header",
    required: false,
    schema: { type: "string" },
    description:
      "The project of the request. Only the bootstrap key may name a project other than its own. Default: the key's.",
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 128 },
    description: "Your own id for the request, printable ASCII. The response and every log line repeat it.",
  },
};

type Json = Record<string, unknown>;

/** Some operations, perhaps not all of a path, with the parts that all share. */
export interface DocumentPart {
  paths?: object;
  components?: object;
}

/**
 * Joins the parts of a document, and moves what many routes share to components: every schema with a `title`, the response
 * headers, and the responses with a single error code. Throws if two different components have the same name.
 */
export async function withComponents(parts: AsyncIterable<DocumentPart>): Promise<object> {
  const schemas = new Components("schemas");
  const responses = new Components("responses");
  let shared: DocumentPart = {};
  const paths: Record<string, Json> = {};
  for await (const part of parts) {
    shared = part;
    const changed = mapOperations(hoisted(part.paths, schemas), (operation) => ({
      ...operation,
      parameters: [
        ...listOf(operation.parameters).map(leftOutIfOptional),
        ...(isPublic(operation) ? [] : sharedParameterRefs),
      ],
      responses: sharedResponses(operation.responses, responses),
    }));
    for (const [path, operations] of Object.entries(changed)) paths[path] = { ...paths[path], ...operations };
  }
  const components = {
    ...shared.components,
    schemas: schemas.sorted(),
    responses: responses.sorted(),
    headers: headerComponents(),
    parameters: Object.fromEntries(
      Object.entries(sharedParameters).map(([name, parameter]) => [name, leftOutIfOptional(parameter)]),
    ),
  };
  return { ...shared, paths, components };
}

/** Components of one kind, by name. */
class Components {
  readonly #kind: string;
  readonly #known = new Map<string, Json>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Keeps the component and returns the reference to it. */
  add(name: string, component: Json): Json {
    const known = this.#known.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, component)) {
      throw new Error(`Two different ${this.#kind} of the OpenAPI document are named ${name}`);
    }
    this.#known.set(name, component);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  sorted(): Json {
    return Object.fromEntries([...this.#known].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Not schemas, even if they have a `title`. */
const data = new Set(["example", "examples", "default", "enum", "const", "mapping"]);

function hoisted(value: unknown, schemas: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas));
  if (!isObject(value)) return value;
  const copy: Json = {};
  for (const [key, child] of Object.entries(value)) {
    if (data.has(key)) copy[key] = child;
    else if (key === "headers" && isObject(child)) copy[key] = headerRefs(child);
    else copy[key] = key === "properties" ? hoistedEach(child, schemas) : hoisted(child, schemas);
  }
  return typeof copy.title === "string" ? schemas.add(copy.title, copy) : copy;
}

/** Schemas by the names of fields, which can be any, also `headers` and `default`. */
function hoistedEach(fields: unknown, schemas: Components): unknown {
  if (!isObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, hoisted(field, schemas)]));
}

function mapOperations(paths: unknown, change: (operation: Json) => Json): Record<string, Json> {
  const entries = Object.entries(isObject(paths) ? paths : {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => [
        method,
        change(isObject(operation) ? operation : {}),
      ]),
    ),
  ]);
  return Object.fromEntries(entries);
}

function isPublic({ security }: Json): boolean {
  return listOf(security).length === 0;
}

const sharedParameterRefs = Object.keys(sharedParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

/** `/docs` leaves optional parameters out of its samples. The extension is that of its viewer. */
function leftOutIfOptional(parameter: unknown): unknown {
  if (!isObject(parameter) || parameter.required === true) return parameter;
  return { ...parameter, examples: { default: { "x-disabled": true } } };
}

/** A response with one error code is the same for every route but those of dialects; its component is named after the code. */
function sharedResponses(responses: unknown, components: Components): Json {
  const entries = Object.entries(isObject(responses) ? responses : {}).map(([status, response]) => {
    const code = isObject(response) && Number(status) >= 400 ? onlyCodeOf(response) : undefined;
    return [
      status,
      code === undefined || !isObject(response) ? response : components.add(nameOf(code), response),
    ];
  });
  return Object.fromEntries(entries);
}

function onlyCodeOf({ description, content }: Json): string | undefined {
  if (!JSON.stringify(content).includes('"#/components/schemas/Error"')) return undefined;
  const codes = [...String(description).matchAll(/^`([A-Z_]+)`: /gm)].map(([, code]) => code);
  return codes.length === 1 ? codes[0] : undefined;
}

/** `NOT_FOUND` is `NotFound`. */
function nameOf(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function headerRefs(headers: Json): Json {
  return Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function headerComponents(): Json {
  const entries = Object.entries(responseHeaders).map(([name, { description, ...schema }]) => [
    name,
    { description, schema },
  ]);
  return Object.fromEntries(entries);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
