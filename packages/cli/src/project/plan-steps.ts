import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@muster/language";
import { isPlainObject } from "@muster/language/json";
import { type Field, type Kind, kinds } from "./kinds.ts";

/** A resource of a project. */
export interface Resource {
  /** Its place: `webhooks/ops`, or `workforce/lou/schedules/nightly`. */
  readonly name: string;
  readonly kind: Kind;
  /** By their names in the file. */
  readonly fields: JsonObject;
}

/** `own`: its slug, or its name if it has none, which can contain a slash. */
export function resourceName({ section }: Kind, own: string, parent?: string): string {
  const name = `${section}/${own.replaceAll(/[%/]/g, encodeURIComponent)}`;
  return parent === undefined ? name : `${parent}/${name}`;
}

/** The parts of a name: sections and slugs in turn. */
export function partsOf(name: string): string[] {
  return name.split("/").map(decodeURIComponent);
}

/** A resource on the server. */
export interface Stored extends Resource {
  readonly id: string;
  /** For `If-Match`. */
  readonly revision: number;
  /** Whether `muster apply` may delete it. */
  readonly managed: boolean;
  /** Its definition has a later version, or has changed: new work should use that. */
  readonly isBehind?: boolean;
}

export type Step =
  | { readonly action: "create"; readonly wanted: Resource }
  | {
      readonly action: "update";
      readonly wanted: Resource;
      readonly stored: Stored;
      /** The fields that differ; none if it only becomes managed, or moves to the latest version. */
      readonly changed: readonly string[];
    }
  | { readonly action: "delete"; readonly stored: Stored };

/** The name of its resource. */
export function nameOfStep(step: Step): string {
  return step.action === "delete" ? step.stored.name : step.wanted.name;
}

export interface PlanOptions {
  /** Delete managed resources that are not wanted. */
  readonly prune?: boolean;
  /** Send every secret again. */
  readonly rotateSecrets?: boolean;
}

/**
 * The steps from the stored resources to the wanted ones. A resource is made before those that need it, and deleted after
 * them. Each step is harmless if those after it fail, and planning again then finds the rest.
 */
export function planSteps(
  wanted: readonly Resource[],
  stored: readonly Stored[],
  { prune = false, rotateSecrets = false }: PlanOptions = {},
): Step[] {
  const present = new Map(stored.map((each) => [each.name, each]));
  const changing = new Set<JsonValue>();
  const steps: Step[] = [];
  for (const resource of inOrder(wanted)) {
    const found = present.get(resource.name);
    present.delete(resource.name);
    if (found === undefined) {
      steps.push({ action: "create", wanted: resource });
      continue;
    }
    const changed = changedFields(resource, found, rotateSecrets);
    if (changed.length > 0) changing.add(resource.name);
    const { definition = "" } = resource.fields;
    const follows = found.isBehind === true || changing.has(definition);
    if (changed.length > 0 || !found.managed || follows)
      steps.push({ action: "update", wanted: resource, stored: { ...found, isBehind: follows }, changed });
  }
  if (!prune) return steps;
  const unwanted = [...present.values()].filter(({ managed, kind }) => managed && kind.section !== "project");
  return [
    ...steps,
    ...inOrder(unwanted)
      .reverse()
      .map((each) => ({ action: "delete" as const, stored: each })),
  ];
}

/** Fixed fields that differ: `webhooks/ops.url`. */
export function impossibleChanges(steps: readonly Step[]): string[] {
  return steps.flatMap((step) =>
    step.action === "update"
      ? step.changed
          .filter((field) => step.wanted.kind.fields[field]?.fixed)
          .map((field) => `${step.wanted.name}.${field}`)
      : [],
  );
}

function inOrder<Each extends Resource>(resources: readonly Each[]): Each[] {
  const rank = ({ kind }: Resource) => kinds.indexOf(kind);
  return resources.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function changedFields(
  { kind, fields: wanted }: Resource,
  { fields: stored }: Stored,
  rotates: boolean,
): string[] {
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const [after, before] = [canonicalField(field, wanted[name]), canonicalField(field, stored[name])];
    if (rotates && hasSecrets(after)) return [name];
    const shown =
      field.partial && isPlainObject(after) && isPlainObject(before) ? listedIn(after, before) : before;
    if (field.partial && after === undefined) return [];
    return isDeepStrictEqual(masked(after), masked(shown)) ? [] : [name];
  });
  const again = names.flatMap((name) => kind.fields[name]?.resends ?? []);
  return [...new Set([...names, ...again.filter((name) => hasSecrets(wanted[name]))])];
}

function listedIn(wanted: JsonObject, stored: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name in wanted));
}

/** The fields in the order of their kind, without those that have their defaults: equal resources have equal ones. */
export function canonical({ kind, fields }: Resource): JsonObject {
  const entries = Object.entries(kind.fields).flatMap(([name, field]): Array<[string, JsonValue]> => {
    const value = canonicalField(field, fields[name]);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function canonicalField(field: Pick<Field, "default" | "isSet" | "verbatim">, value: JsonValue | undefined) {
  if (field.verbatim) return isDeepStrictEqual(value, field.default) ? undefined : (value ?? undefined);
  const plain = sorted(value, field.isSet);
  const usual = sorted(field.default, field.isSet);
  return plain === undefined || isDeepStrictEqual(plain, usual) ? undefined : plain;
}

/** Members in order, without empty ones. */
function sorted(value: JsonValue | undefined, isSet = false): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => sorted(item) ?? null);
    return isSet ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value as JsonObject).flatMap(([name, item]): Array<[string, JsonValue]> => {
    const plain = sorted(item);
    return plain === undefined ? [] : [[name, plain]];
  });
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The server does not say what a secret is, so that two of them are equal. */
function masked(value: JsonValue | undefined): JsonValue | undefined {
  if (secretNameOf(value) !== undefined) return "secret";
  if (Array.isArray(value)) return value.map((item: JsonValue) => masked(item) ?? null);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, item]) => [name, masked(item) ?? null]),
  );
}

function hasSecrets(value: JsonValue | undefined): boolean {
  if (secretNameOf(value) !== undefined) return true;
  return value instanceof Object && Object.values(value).some(hasSecrets);
}

/** The environment variable with a secret. Undefined: the value does not refer to one. */
export function secretNameOf(value: JsonValue | undefined): string | undefined {
  const ref: unknown = isPlainObject(value) ? value.secretRef : undefined;
  return typeof ref === "string" ? /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(ref)?.[1] : undefined;
}
