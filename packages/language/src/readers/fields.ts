import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { FieldShape, Shape } from "../grammar/shapes.ts";
import { isNull, type MapNode, missingAt, type SyntaxNode } from "../yaml/syntax.ts";
import { type Read, type Reader, reader, wrongType } from "./readers.ts";

/** Everything about one key of a map, in one place. */
export interface Field<T> extends FieldShape {
  readonly read: Read<T>;
  readonly absent?: { readonly value: T };
  /** The key is only checked: its reader returns undefined, which is not a failure. */
  readonly checkOnly?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export function required<T>({ shape, read }: Reader<T>, doc: string): Field<T> {
  return { shape, read, doc };
}

export function optional<T>({ shape, read }: Reader<T>, doc: string): Field<T | undefined> {
  return { shape, read, doc, absent: { value: undefined } };
}

export function defaulted<T>({ shape, read }: Reader<T>, value: T, doc: string): Field<T> {
  return { shape, read, doc, absent: { value } };
}

/** A key that may have problems but never has a value. */
export function checked(
  shape: Shape,
  doc: string,
  check: (node: SyntaxNode, context: Context) => void,
): Field<undefined> {
  const read = (node: SyntaxNode, context: Context): undefined => void check(node, context);
  return { shape, read, doc, absent: { value: undefined }, checkOnly: true };
}

/** A deprecated key that still works; `instead` says what to write. */
export function deprecated<T>(field: Field<T>, instead: string): Field<T> {
  return { ...field, deprecated: instead };
}

/** Reads a map with exactly these keys. Reads every key even if one is wrong, so that all problems are reported. */
export function object<F extends Fields>(fields: F): Reader<Values<F>> {
  const readKeys = someKeys(fields);
  const expected = `a map with ${Object.keys(fields).join(", ")}`;
  return reader({ kind: "object", fields }, (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, expected);
    reportUnknownKeys(node, fields, context);
    return readKeys(node, context);
  });
}

/** Reads these keys of a map and ignores the others, which another reader handles. */
export function someKeys<F extends Fields>(fields: F) {
  const entries = Object.entries(fields);
  return (node: MapNode, context: Context): Values<F> | undefined => {
    const values: Record<string, unknown> = {};
    let complete = true;
    for (const [name, field] of entries) {
      const outcome = readField(node, name, field, context);
      if (outcome.ok) values[name] = outcome.value;
      else complete = false;
    }
    // The loop has just set every key of `fields` to its reader's value.
    return complete ? (values as Values<F>) : undefined;
  };
}

type Outcome = { ok: true; value: unknown } | { ok: false };

function readField(node: MapNode, name: string, field: Field<unknown>, context: Context): Outcome {
  const entry = node.entries.get(name);
  if (entry === undefined || (isNull(entry.value) && field.absent !== undefined)) {
    if (field.absent !== undefined) return { ok: true, value: field.absent.value };
    context.report.add("MISSING_FIELD", missingAt(node, name), `${quote(name)} is required here.`);
    return { ok: false };
  }
  if (field.deprecated !== undefined) {
    const text = `${quote(name)} is deprecated: ${field.deprecated}.`;
    context.report.add("DEPRECATED_FIELD", entry.key, text);
  }
  const value = field.read(entry.value, context);
  return value === undefined && !field.checkOnly ? { ok: false } : { ok: true, value };
}

export function reportUnknownKeys(node: MapNode, known: object, { report }: Context): void {
  for (const [name, { key }] of node.entries) {
    if (Object.hasOwn(known, name)) continue;
    const among = Object.keys(known);
    const suggestions = report.closest(name, among);
    // With a suggestion the list is left out: clients shorten long messages and would drop what helps most.
    const list = suggestions.length === 0 ? ` Allowed here: ${among.join(", ")}.` : "";
    report.add("UNKNOWN_KEY", key, `Unknown key ${quote(name)}.${list}`, suggestions);
  }
}
