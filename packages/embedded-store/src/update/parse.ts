import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { arrayIndex, type Path, parseFieldPath } from "../query/path.ts";
import { pull, push } from "./array-operators.ts";
import { min, set, unset } from "./field-operators.ts";
import { increment } from "./increment.ts";
import { changeAt, checkDepth, type Modifier } from "./modifier.ts";

/** A parsed update. `apply` returns the same document if nothing changes. */
export type Update =
  | { readonly kind: "replacement"; readonly document: Doc }
  | {
      readonly kind: "operators";
      readonly apply: (doc: Doc, inserting: boolean) => Doc;
      /** Every document counts as modified, even if its content stays the same. */
      readonly alwaysModifies: boolean;
    };

type MakeModifier = (operand: Value, field: string) => Modifier;

/** Operators that change one path, by name. A test compares the names with the README's table. */
export const updateOperators: Readonly<Record<string, MakeModifier>> = {
  $set: set,
  $setOnInsert: set,
  $unset: unset,
  $inc: increment,
  $min: min,
  $push: push,
  $pull: pull,
};

const unsupported = new Set(
  "$max $rename $currentDate $addToSet $mul $bit $pop $pullAll $pushAll".split(" "),
);

interface Change {
  readonly path: Path;
  readonly onInsertOnly: boolean;
  readonly alwaysCounts?: boolean;
  readonly apply: (doc: Doc) => Doc;
}

/** Parses the `u` of an update command. A malformed update fails with MongoDB's code. */
export function parseUpdate(update: Value | undefined): Update {
  if (update?.type === T.array) throw notSupported("An aggregation pipeline as an update");
  if (update?.type !== T.document) {
    throw new StoreError("FailedToParse", `An update must be a document, not ${typeName(update)}`);
  }
  const doc = update.value;
  if (!doc.firstName()?.startsWith("$")) return { kind: "replacement", document: checkReplacement(doc) };
  const changes: Change[] = [];
  const paths: PathTree = new Map();
  for (const [name, fields] of doc) {
    for (const change of parseOperator(name, fields)) {
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
  refuseEmptyTimestamps(doc);
  return doc;
}

// A generator, so that a conflict is found before a mistake in a later field, as on MongoDB.
function* parseOperator(name: string, fields: Value): Generator<Change> {
  const make = own(updateOperators, name);
  if (!make) {
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
    const path = parseFieldPath(field);
    // $push puts its operand one level below its path.
    checkDepth(operand, path.length + (name === "$push" ? 1 : 0));
    const modifier = make(operand, field);
    const { alwaysCounts = false } = modifier;
    yield { path, onInsertOnly, alwaysCounts, apply: (doc) => changeAt(doc, path, modifier) };
  }
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

/** MongoDB changes empty timestamps of an inserted or replacing document to the current time, except in nested documents. */
export function refuseEmptyTimestamps(doc: Doc): void {
  for (const [name, { type, value }] of doc)
    if (type === T.timestamp && value === 0n && name !== "_id") throw notSupported("An empty timestamp");
}
