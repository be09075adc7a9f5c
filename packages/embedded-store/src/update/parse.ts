import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { arrayIndex, type Path, parseFieldPath } from "../query/path.ts";
import { addToSet, pull, push } from "./array-operators.ts";
import { currentDate, max, min, set, unset } from "./field-operators.ts";
import { increment } from "./increment.ts";
import { changeAt, type Modifier } from "./modifier.ts";
import { rename } from "./rename.ts";

/** A parsed update. `apply` returns the same document if nothing changes. */
export type Update =
  | { readonly kind: "replacement"; readonly document: Doc }
  | { readonly kind: "operators"; readonly apply: (doc: Doc, inserting: boolean) => Doc };

type MakeModifier = (operand: Value, field: string, nowMs: number) => Modifier;

/** Operators that change one path, by name. A test compares the names with the README's table. */
export const updateOperators: Readonly<Record<string, MakeModifier>> = {
  $set: set,
  $setOnInsert: set,
  $unset: unset,
  $inc: increment,
  $min: min,
  $max: max,
  $currentDate: currentDate,
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
};

/** Not in the table above, because it has two paths. */
export const renameOperator = "$rename";

const unsupported = new Set(["$mul", "$bit", "$pop", "$pullAll", "$pushAll"]);

interface Change {
  readonly path: Path;
  readonly onInsertOnly: boolean;
  readonly apply: (doc: Doc) => Doc;
}

/** Parses the `u` of an update command. A malformed update fails with MongoDB's code. */
export function parseUpdate(update: Value | undefined, nowMs: number): Update {
  if (update?.type === T.array) throw notSupported("An aggregation pipeline as an update");
  if (update?.type !== T.document) {
    throw new StoreError("FailedToParse", `An update must be a document, not ${typeName(update)}`);
  }
  const doc = update.value;
  if (!doc.firstName()?.startsWith("$")) return { kind: "replacement", document: checkReplacement(doc) };
  const changes = Array.from(doc, ([name, fields]) => parseOperator(name, fields, nowMs)).flat();
  changes.sort((a, b) => comparePaths(a.path, b.path));
  return { kind: "operators", apply: (target, inserting) => applyAll(changes, target, inserting) };
}

function applyAll(changes: readonly Change[], target: Doc, inserting: boolean): Doc {
  let doc = target;
  for (const change of changes) if (inserting || !change.onInsertOnly) doc = change.apply(doc);
  return doc;
}

function checkReplacement(doc: Doc): Doc {
  for (const [name] of doc) {
    if (name.startsWith("$")) {
      const problem = `The dollar ($) prefixed field '${name}' is not allowed in the context of an update's replacement document.`;
      throw new StoreError("DollarPrefixedFieldName", problem);
    }
  }
  return doc;
}

function parseOperator(name: string, fields: Value, nowMs: number): Change[] {
  const make = own(updateOperators, name);
  if (!make && name !== renameOperator) {
    if (unsupported.has(name)) throw notSupported(`The update operator ${name}`);
    const problem = `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`;
    throw new StoreError("FailedToParse", problem);
  }
  if (fields.type !== T.document) {
    const problem = `Modifiers operate on fields but we found type ${typeName(fields)} instead, in {${name}: ${show(fields)}}`;
    throw new StoreError("FailedToParse", problem);
  }
  return Array.from(fields.value, ([field, operand]) => {
    if (!make) return parseRename(field, operand);
    const path = parseFieldPath(field);
    const modifier = make(operand, field, nowMs);
    return [
      { path, onInsertOnly: name === "$setOnInsert", apply: (doc: Doc) => changeAt(doc, path, modifier) },
    ];
  }).flat();
}

function parseRename(field: string, operand: Value): Change[] {
  if (operand.type !== T.string)
    throw new StoreError("BadValue", "The 'to' field for $rename must be a string");
  const from = parseFieldPath(field);
  const to = parseFieldPath(operand.value);
  // Both paths count for conflicts with other operators; the work is done once.
  return [
    { path: from, onInsertOnly: false, apply: (doc) => rename(doc, from, to) },
    { path: to, onInsertOnly: false, apply: (doc) => doc },
  ];
}

/**
 * MongoDB applies operators in the order of their paths, which determines the order of new fields. Paths that
 * are equal, or of which one is a prefix of the other, are refused.
 */
function comparePaths(a: Path, b: Path): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) throw conflict(a, b);
    if (part !== other) return compareParts(part, other);
  }
  throw conflict(a, b);
}

function compareParts(a: string, b: string): number {
  const x = arrayIndex(a);
  const y = arrayIndex(b);
  if (x >= 0 && y >= 0) return x - y;
  // Positions before names: a mixture of both orders would not be transitive.
  if (x >= 0 || y >= 0) return y - x;
  return a < b ? -1 : 1;
}

function conflict(a: Path, b: Path): StoreError {
  const [shorter] = [a.join("."), b.join(".")].sort((x, y) => x.length - y.length);
  const problem = `Updating the path '${a.join(".")}' would create a conflict at '${shorter}'`;
  return new StoreError("ConflictingUpdateOperators", problem);
}
