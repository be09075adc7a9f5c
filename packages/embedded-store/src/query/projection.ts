import { encodeDoc } from "../bson/encode.ts";
import { T } from "../bson/types.ts";
import { array, Doc, document, isNumber, List, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { parseExpressionPath } from "./path.ts";
import { truth } from "./predicates.ts";

/** The fields named below one document; a leaf has no further fields. */
interface Tree {
  readonly children: Map<string, Tree>;
}

/** Turns a stored document into the client's projection of it. */
export type Present = (content: Buffer) => Buffer;

/** Parses a projection of inclusions or exclusions. Operators and expressions are refused. */
export function parseProjection(projection: Doc): Present {
  if (projection.size === 0) return (content) => content;
  const project = documentProjection(projection);
  return (content) => encodeDoc(project(Doc.fromRaw(content)));
}

/** The same for a document in memory. */
export function documentProjection(projection: Doc): (doc: Doc) => Doc {
  const tree: Tree = { children: new Map() };
  let including: boolean | undefined;
  let withId: boolean | undefined;
  for (const [field, value] of projection) {
    if (value.type !== T.boolean && !isNumber(value))
      throw notSupported(`A projection that is neither 1 nor 0 ('${field}')`);
    const included = truth(value);
    if (field === "_id") {
      withId = included;
      continue;
    }
    addPath(tree, field);
    if (including !== undefined && including !== included) throw mixed(field, included);
    including = included;
  }
  // If only `_id` is named, including it excludes the rest and excluding it includes the rest.
  including ??= withId ?? true;
  // The tree contains the included or the excluded fields; `_id` is included unless it is excluded by name.
  if ((withId ?? true) === including && !tree.children.has("_id")) addPath(tree, "_id");
  return including ? (doc) => include(doc, tree) : (doc) => exclude(doc, tree);
}

function mixed(field: string, included: boolean): StoreError {
  return included
    ? new StoreError("Location31253", `Cannot do inclusion on field ${field} in exclusion projection`)
    : new StoreError("Location31254", `Cannot do exclusion on field ${field} in inclusion projection`);
}

function addPath(tree: Tree, field: string): void {
  let node = tree;
  const path = parseExpressionPath(field);
  for (const [i, part] of path.entries()) {
    const existing = node.children.get(part);
    const last = i === path.length - 1;
    if (existing && last) throw new StoreError("Location31250", `Path collision at ${field}`);
    if (existing?.children.size === 0) {
      const remaining = path.slice(i + 1).join(".");
      throw new StoreError("Location31249", `Path collision at ${field} remaining portion ${remaining}`);
    }
    const child = existing ?? { children: new Map() };
    node.children.set(part, child);
    node = child;
  }
}

function include(doc: Doc, tree: Tree): Doc {
  const result = new Doc();
  for (const [name, value] of doc) {
    const child = tree.children.get(name);
    const kept = child && (child.children.size === 0 ? value : includeBelow(value, child));
    if (kept) result.set(name, kept);
  }
  return result;
}

// Inside an array, scalars are dropped and documents projected; a scalar instead of a document is dropped.
function includeBelow(value: Value, tree: Tree): Value | undefined {
  if (value.type === T.document) return document(include(value.value, tree));
  if (value.type !== T.array) return undefined;
  return array(new List(value.value.items.flatMap((item) => includeBelow(item, tree) ?? [])));
}

function exclude(doc: Doc, tree: Tree): Doc {
  const result = new Doc();
  for (const [name, value] of doc) {
    const child = tree.children.get(name);
    if (!child) result.set(name, value);
    else if (child.children.size > 0) result.set(name, excludeBelow(value, child));
  }
  return result;
}

function excludeBelow(value: Value, tree: Tree): Value {
  if (value.type === T.document) return document(exclude(value.value, tree));
  if (value.type !== T.array) return value;
  return array(new List(value.value.items.map((item) => excludeBelow(item, tree))));
}
