import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { arrayIndex, type Path, parseFieldPath } from "../query/path.ts";
import { addToSet, pull, push } from "./array-operators.ts";
import { currentDate, max, min, set, unset } from "./field-operators.ts";
import { increment } from "./increment.ts";
import { changeAt, checkDepth, type Modifier } from "./modifier.ts";
import { rename } from "./rename.ts";

/** A parsed update. `apply` returns the same document if nothing changes. */
export type Update =
  | { readonly kind: "replacement"; readonly document: Doc }
  | {
      readonly kind: "operators";
      readonly apply: (doc: Doc, inserting: boolean) => Doc;
      /** Every document counts as modified, even if its content stays the same. */
      readonly alwaysModifies: boolean;
    };

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

/** Operators that put their operand one level below their path. */
const addsToArray = new Set(["$push", "$addToSet"]);

const unsupported = new Set(["$mul", "$bit", "$pop", "$pullAll", "$pushAll"]);

interface Change {
  readonly path: Path;
  readonly onInsertOnly: boolean;
  readonly alwaysCounts?: boolean;
  readonly apply: (doc: Doc, inserting: boolean) => Doc;
}

/** Parses the `u` of an update command. A malformed update fails with MongoDB's code. */
export function parseUpdate(update: Value | undefined, nowMs: number): Update {
  if (update?.type === T.array) throw notSupported("An aggregation pipeline as an update");
  if (update?.type !== T.document) {
    throw new StoreError("FailedToParse", `An update must be a document, not ${typeName(update)}`);
  }
  const doc = update.value;
  if (!doc.firstName()?.startsWith("$"))
    return { kind: "replacement", document: withTimestamps(checkReplacement(doc), nowMs) };
  const changes: Change[] = [];
  const paths: PathTree = new Map();
  for (const [name, fields] of doc) {
    for (const change of parseOperator(name, fields, nowMs)) {
      addPath(paths, change.path);
      changes.push(change);
    }
  }
  changes.sort((a, b) => comparePaths(a.path, b.path));
  return {
    kind: "operators",
    apply: (target, inserting) => applyAll(changes, target, inserting),
    alwaysModifies: changes.some(({ alwaysCounts }) => alwaysCounts),
  };
}

function applyAll(changes: readonly Change[], target: Doc, inserting: boolean): Doc {
  let doc = target;
  for (const change of changes) if (inserting || !change.onInsertOnly) doc = change.apply(doc, inserting);
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

// A generator, so that a conflict is found before a mistake in a later field, as on MongoDB.
function* parseOperator(name: string, fields: Value, nowMs: number): Generator<Change> {
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
  const onInsertOnly = name === "$setOnInsert";
  for (const [field, operand] of fields.value) {
    if (make) {
      const path = parseFieldPath(field);
      checkDepth(operand, path.length + (addsToArray.has(name) ? 1 : 0));
      const modifier = make(operand, field, nowMs);
      const { alwaysCounts = false } = modifier;
      yield { path, onInsertOnly, alwaysCounts, apply: (doc) => changeAt(doc, path, modifier) };
    } else yield* parseRename(field, operand);
  }
}

function parseRename(field: string, operand: Value): Change[] {
  if (operand.type !== T.string)
    throw new StoreError("BadValue", "The 'to' field for $rename must be a string");
  const from = parseFieldPath(field);
  const to = parseFieldPath(operand.value);
  if (isPrefix(from, to) || isPrefix(to, from)) {
    const problem = `The source and target field for $rename must not be on the same path: ${field}: ${show(operand)}`;
    throw new StoreError("BadValue", problem);
  }
  // Both paths count for conflicts with other operators. The value moves when it is the turn of its new path.
  return [
    { path: from, onInsertOnly: false, apply: (doc) => doc },
    { path: to, onInsertOnly: false, apply: (doc, inserting) => rename(doc, from, to, inserting) },
  ];
}

function isPrefix(a: Path, b: Path): boolean {
  return a.length <= b.length && a.every((part, i) => part === b[i]);
}

type PathTree = Map<string, PathTree>;

/** Adds a path. Throws if it is there already, or if it leads into another or another into it. */
function addPath(tree: PathTree, path: Path): void {
  let node = tree;
  for (const [i, part] of path.entries()) {
    const isLast = i === path.length - 1;
    const existing = node.get(part);
    if (existing && (isLast || existing.size === 0)) throw conflict(path, path.slice(0, i + 1));
    const next: PathTree = existing ?? new Map();
    node.set(part, next);
    node = next;
  }
}

// MongoDB applies operators in the order of their paths, which determines the order of new fields.
function comparePaths(a: Path, b: Path): number {
  for (const [i, part] of a.entries()) {
    const other = b[i] ?? "";
    if (part !== other) return compareParts(part, other);
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  const x = arrayIndex(a);
  const y = arrayIndex(b);
  if (x >= 0 && y >= 0) return x - y;
  // Positions before names: a mixture of both orders would not be transitive.
  if (x >= 0 || y >= 0) return y - x;
  return a < b ? -1 : 1;
}

function conflict(path: Path, place: Path): StoreError {
  const problem = `Updating the path '${path.join(".")}' would create a conflict at '${place.join(".")}'`;
  return new StoreError("ConflictingUpdateOperators", problem);
}

let latestTimestamp = 0n;

/** As a document is inserted or replaced, empty timestamps outside nested documents become the current one. */
export function withTimestamps(doc: Doc, nowMs: number): Doc {
  let changed: Doc | undefined;
  for (const [name, { type, value }] of doc) {
    if (type !== T.timestamp || value !== 0n || name === "_id") continue;
    const second = BigInt(Math.floor(nowMs / 1000)) << 32n;
    latestTimestamp = (latestTimestamp > second ? latestTimestamp : second) + 1n;
    changed ??= doc.copy();
    changed.set(name, { type: T.timestamp, value: latestTimestamp });
  }
  return changed ?? doc;
}
