import { closest } from "@muster/language";
import type { FastifySchemaValidationError } from "fastify";

/** The parts of a schema that are read. */
interface Shape {
  properties?: Readonly<Record<string, object>>;
  items?: object;
  maxItems?: number;
  additionalProperties?: unknown;
}

/** The part of a request that a schema is for. */
export interface InspectedPart {
  readonly isBody: boolean;
  readonly isPatch: boolean;
}

/** The inspection of one value. */
interface Inspection {
  readonly path: (string | number)[];
  readonly found: FastifySchemaValidationError[];
  /** How many more unknown members are compared with known ones. */
  left: number;
}

type Visit = (value: unknown, inspection: Inspection) => void;

const maxCompared = 100;

/**
 * Prepares a value for its validator, and finds what that accepts although it is a slip. Undefined if there is nothing to
 * do for the schema.
 *
 * Lists that are longer than the schema allows are cut to one item more, so that the schema refuses them by their length,
 * without a visit to every item: this changes the value, which is refused then.
 *
 * In a body, a member is found that the schema does not know, but for a mistyped letter (two from six letters on), case or
 * separator, if the member that it resembles is absent. Objects with free keys may have any. In a `PATCH`, members that
 * are all unknown are found as well.
 */
export function inspectorOf(
  schema: object,
  { isBody, isPatch }: InspectedPart,
): ((value: unknown) => FastifySchemaValidationError[]) | undefined {
  const visit = visitorOf(schema, isBody);
  const { properties }: Shape = schema;
  if (visit === undefined) return undefined;
  return (value) => {
    const inspection: Inspection = { path: [], found: [], left: maxCompared };
    visit(value, inspection);
    const { found } = inspection;
    if (isPatch && found.length === 0 && properties !== undefined && hasOnlyUnknown(value, properties)) {
      const known = Object.keys(properties).join(", ");
      found.push(problemAt([], `has no member that can be changed; send any of ${known}`));
    }
    return found;
  };
}

function visitorOf(schema: object, isBody: boolean): Visit | undefined {
  const { items, maxItems, properties, additionalProperties = false }: Shape = schema;
  if (items !== undefined) return listVisitorOf(visitorOf(items, isBody), maxItems);
  if (properties === undefined) return undefined;
  const inner = Object.entries(properties).flatMap(([name, property]) => {
    const visit = visitorOf(property, isBody);
    return visit === undefined ? [] : [{ name, visit }];
  });
  const compares = isBody && additionalProperties === false;
  if (!compares && inner.length === 0) return undefined;
  return (value, inspection) => {
    if (typeof value !== "object" || value === null) return;
    if (compares) compareMembers(value, properties, inspection);
    for (const { name, visit } of inner) {
      if (Object.hasOwn(value, name)) visitAt(name, Reflect.get(value, name), visit, inspection);
    }
  };
}

function listVisitorOf(visit: Visit | undefined, maxItems = Number.POSITIVE_INFINITY): Visit | undefined {
  if (maxItems === Number.POSITIVE_INFINITY && visit === undefined) return undefined;
  return (value, inspection) => {
    if (!Array.isArray(value)) return;
    if (value.length > maxItems) value.length = maxItems + 1;
    if (visit !== undefined)
      for (const [index, item] of value.entries()) visitAt(index, item, visit, inspection);
  };
}

function visitAt(step: string | number, value: unknown, visit: Visit, inspection: Inspection): void {
  inspection.path.push(step);
  visit(value, inspection);
  inspection.path.pop();
}

function compareMembers(
  value: object,
  properties: Readonly<Record<string, object>>,
  inspection: Inspection,
): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name) || inspection.left <= 0) continue;
    inspection.left -= 1;
    const absent = Object.keys(properties).filter((known) => !Object.hasOwn(value, known));
    const [meant] = closest(name.replace(/[-_\s]/g, ""), absent, 2);
    if (meant === undefined) continue;
    const message = `is not a known member; write ${meant}`;
    inspection.found.push(problemAt([...inspection.path, name], message, [meant]));
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
