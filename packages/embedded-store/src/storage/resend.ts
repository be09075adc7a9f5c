import { hash } from "node:crypto";
import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { array, Doc, document, int64, List, nullValue, string, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { documentProjection } from "../query/projection.ts";
import type { Collection } from "./collection.ts";
import type { RowId } from "./index-table.ts";

/** The document in a reply, as the parts from which a resend can rebuild it. */
export interface ReplyImage {
  readonly collection: Collection;
  readonly row: RowId;
  /** The document before the write, if the reply shows that one. */
  readonly before?: Doc;
  /** The stored document after the write. */
  readonly after: Doc;
  /** The projection that the client asked for; empty for the whole document. */
  readonly projection: Doc;
}

const recipeName = "$recipe";

/**
 * A recipe for a reply that contains a document: the reply without it, where the document is stored, and the fields
 * that the write changed. It is as small as the change, where the reply is as large as the document.
 */
export function recipeFor(reply: Doc, image: ReplyImage): Doc {
  const rest = new Doc([...reply].map(([name, value]) => [name, name === "value" ? nullValue : value]));
  const fields = {
    reply: rest,
    collection: int64(BigInt(image.collection.id)),
    row: int64(BigInt(image.row)),
    digest: digestOf(encodeDoc(image.after)),
    projection: image.projection,
    before: image.before && changesBack(image.before, image.after),
  };
  return doc({ [recipeName]: doc(fields) });
}

/** The recipe in a stored reply; undefined for one that was stored whole. */
export function recipeIn(stored: Doc): Doc | undefined {
  const recipe = stored.firstName() === recipeName ? stored.get(recipeName) : undefined;
  return recipe?.type === T.document ? recipe.value : undefined;
}

/** Rebuilds the reply. Throws IncompleteTransactionHistory if the document has changed since. */
export function rebuild(recipe: Doc, contentAt: (collection: number, row: RowId) => Buffer | undefined): Doc {
  const content = contentAt(numberIn(recipe, "collection"), numberIn(recipe, "row"));
  const digest = recipe.get("digest");
  if (!content || digest?.type !== T.string || digestOf(content) !== digest.value) throw changedSince();
  const changes = docIn(recipe, "before");
  const shown = changes.size > 0 ? changeBack(Doc.fromRaw(content), changes) : Doc.fromRaw(content);
  return docIn(recipe, "reply").set("value", document(projected(shown, docIn(recipe, "projection"))));
}

/** A document as a client sees it. */
export function projected(content: Doc, projection: Doc): Doc {
  return projection.size > 0 ? documentProjection(projection)(content) : content;
}

function changedSince(): StoreError {
  const problem =
    "The write was applied, but its result is no longer available: the document has changed since";
  return new StoreError("IncompleteTransactionHistory", problem);
}

function digestOf(content: Buffer): string {
  return hash("sha256", content);
}

function changesBack(before: Doc, after: Doc): Doc {
  const names = Array.from(before.fields.keys(), string);
  const values = [...before].filter(([name, value]) => after.get(name) !== value);
  return doc({ names: array(new List(names)), values: new Doc(values) });
}

function changeBack(after: Doc, changes: Doc): Doc {
  const names = changes.get("names");
  const values = docIn(changes, "values");
  if (names?.type !== T.array) return after;
  const fields = names.value.items.flatMap((name): [string, Value][] => {
    const value = name.type === T.string ? (values.get(name.value) ?? after.get(name.value)) : undefined;
    return name.type === T.string && value ? [[name.value, value]] : [];
  });
  return new Doc(fields);
}

function docIn(source: Doc, name: string): Doc {
  const value = source.get(name);
  return value?.type === T.document ? value.value : new Doc();
}

function numberIn(source: Doc, name: string): number {
  const value = source.get(name);
  return value?.type === T.int64 ? Number(value.value) : -1;
}
