import { closest } from "@muster/language";
import type { FastifySchemaValidationError } from "fastify";

/** The parts of a schema that are read. */
interface Shape {
  properties?: Readonly<Record<string, object>>;
  items?: object;
  additionalProperties?: unknown;
}

/** The search of one body. */
interface Search {
  readonly path: (string | number)[];
  readonly found: FastifySchemaValidationError[];
  /** How many more unknown members are compared with known ones. */
  left: number;
}

type Visit = (value: unknown, search: Search) => void;

const maxCompared = 100;

/**
 * Finds members of a body that its schema does not know, but for a mistyped letter (two from six letters on), case or
 * separator. Such a member is not ignored if the member that it resembles is absent. Objects with free keys may have any.
 * In a `patch`, members that are all unknown are an error as well. Undefined if the schema knows no member.
 */
export function misspeltMembersOf(
  schema: object,
  { isPatch }: { isPatch: boolean },
): ((body: unknown) => FastifySchemaValidationError[]) | undefined {
  const visit = visitorOf(schema);
  const { properties }: Shape = schema;
  if (visit === undefined) return undefined;
  return (body) => {
    const search: Search = { path: [], found: [], left: maxCompared };
    visit(body, search);
    if (
      isPatch &&
      search.found.length === 0 &&
      properties !== undefined &&
      hasOnlyUnknown(body, properties)
    ) {
      const known = Object.keys(properties).join(", ");
      search.found.push(problemAt([], `has no member that can be changed; send any of ${known}`));
    }
    return search.found;
  };
}

function visitorOf(schema: object): Visit | undefined {
  const { properties, items, additionalProperties = false }: Shape = schema;
  if (items !== undefined) return listVisitorOf(items);
  if (properties === undefined) return undefined;
  const inner = Object.entries(properties).flatMap(([name, property]) => {
    const visit = visitorOf(property);
    return visit === undefined ? [] : [{ name, visit }];
  });
  return (value, search) => {
    if (typeof value !== "object" || value === null) return;
    if (additionalProperties === false) compareMembers(value, properties, search);
    for (const { name, visit } of inner) {
      if (Object.hasOwn(value, name)) visitAt(name, Reflect.get(value, name), visit, search);
    }
  };
}

function listVisitorOf(items: object): Visit | undefined {
  const visit = visitorOf(items);
  if (visit === undefined) return undefined;
  return (value, search) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) visitAt(index, item, visit, search);
  };
}

function visitAt(step: string | number, value: unknown, visit: Visit, search: Search): void {
  search.path.push(step);
  visit(value, search);
  search.path.pop();
}

function compareMembers(value: object, properties: Readonly<Record<string, object>>, search: Search): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name) || search.left <= 0) continue;
    search.left -= 1;
    const absent = Object.keys(properties).filter((known) => !Object.hasOwn(value, known));
    const [meant] = closest(name.replace(/[-_\s]/g, ""), absent, 2);
    if (meant !== undefined)
      search.found.push(problemAt([...search.path, name], `is not a known member; write ${meant}`, [meant]));
  }
}

function hasOnlyUnknown(body: unknown, properties: object): boolean {
  if (typeof body !== "object" || body === null) return false;
  const names = Object.keys(body);
  return names.length > 0 && !names.some((name) => Object.hasOwn(properties, name));
}

function problemAt(
  path: readonly (string | number)[],
  message: string,
  suggestions: string[] = [],
): FastifySchemaValidationError {
  const segments = path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return {
    keyword: "misspelt",
    instancePath: segments.join(""),
    schemaPath: "",
    params: { suggestions },
    message,
  };
}
