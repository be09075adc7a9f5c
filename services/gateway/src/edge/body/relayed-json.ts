import { isPlainObject } from "@muster/language";

/** How a large body is read: without parsing on the main thread what is only passed on. */
export interface RelayPlan {
  /** The fields that the route reads. All others are dropped. */
  fields: readonly string[];
  /** Longer lists among these fields keep one item more, so that the schema refuses them without a visit to every item. */
  maxItems: number;
  /** Paths of objects to relay; `*` means every item of a list. Values of other types are kept, so that the schema refuses them. */
  objects: readonly string[];
  /** Paths of values of any type to relay. */
  values: readonly string[];
}

type Key = string | number;
type Container = Record<Key, unknown>;

/** A value that was taken out of a body, as JSON. */
interface RelayedValue {
  path: Key[];
  text: string;
}

/** A body without the fields that its route does not read, and with null for each value that is relayed. */
export interface SlimBody {
  value: unknown;
  relayed: RelayedValue[];
}

/** Takes the values of the plan out of a body. Changes the value. */
export function takeRelayed(value: unknown, { fields, maxItems, objects, values }: RelayPlan): SlimBody {
  const relayed: RelayedValue[] = [];
  if (!isPlainObject(value)) return { value, relayed };
  const body: Container = {};
  for (const name of fields) {
    if (!Object.hasOwn(value, name)) continue;
    const field = value[name];
    body[name] = Array.isArray(field) ? field.slice(0, maxItems + 1) : field;
  }
  const take = (paths: readonly string[], fits: (found: unknown) => boolean) => {
    for (const path of paths) takeAt(body, path.split("."), [], relayed, fits);
  };
  take(objects, isPlainObject);
  take(values, () => true);
  return { value: body, relayed };
}

function takeAt(
  container: unknown,
  [step = "", ...rest]: readonly string[],
  path: readonly Key[],
  relayed: RelayedValue[],
  fits: (found: unknown) => boolean,
): void {
  if (!isContainer(container)) return;
  for (const key of step === "*" ? indexesOf(container) : [step]) {
    if (!Object.hasOwn(container, key)) continue;
    const found = container[key];
    if (rest.length > 0) takeAt(found, rest, [...path, key], relayed, fits);
    else if (fits(found)) {
      relayed.push({ path: [...path, key], text: JSON.stringify(found) });
      container[key] = null;
    }
  }
}

/** Puts the values back, each in a wrapper. */
export function putBack<T>({ value, relayed }: SlimBody, wrap: (text: string) => T): unknown {
  for (const { path, text } of relayed) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((from, key) => (isContainer(from) ? from[key] : from), value);
    const last = path.at(-1);
    if (isContainer(parent) && last !== undefined) parent[last] = wrap(text);
  }
  return value;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function indexesOf(container: Container): number[] {
  return Array.isArray(container) ? [...container.keys()] : [];
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The values of a large body that the route passes on as JSON. Default: none; the whole body is parsed. */
    relays?: RelayPlan;
  }
}
