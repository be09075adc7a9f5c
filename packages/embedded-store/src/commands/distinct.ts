import { encodeKey } from "../bson/key-encoding.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { array, Doc, document, List, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { openQuery } from "../query/cursor.ts";
import { arrayIndex, type Path, parseFieldPath } from "../query/path.ts";
import { read } from "../query/source.ts";
import { maxDocumentBytes } from "../storage/collection.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const distinct: Command = {
  name: "distinct",
  fields: ["distinct", "key", "query"],
  run: function* (store, args, { memory }) {
    const path = parseFieldPath(args.string("key"));
    const query = { filter: filterOf(args, "query"), sort: [], skip: 0, limit: 0 };
    const collection = store.catalog.find(args.db, args.string("distinct"));
    const found = new Map<string, Value>();
    let bytes = 0;
    const add = (value: Value) => {
      const key = encodeKey(value).toString("latin1");
      if (!found.has(key)) bytes += key.length;
      if (bytes > maxDocumentBytes) throw new StoreError("BSONObjectTooLarge", "distinct too big, 16mb cap");
      found.set(key, found.get(key) ?? value);
    };
    if (collection) {
      yield* read(openQuery(collection, query, memory), ({ content }) => {
        visitValues(document(Doc.fromRaw(content)), path, 0, add);
        return true;
      });
    }
    return doc({ values: array(new List([...found.values()])) });
  },
};

// Each element of an array at the end of the path counts, but not the array itself. Unlike in a filter, digits after
// an array name only a position, never a field of its documents.
function visitValues(value: Value | undefined, path: Path, at: number, add: (value: Value) => void): void {
  if (value === undefined) return;
  const name = path[at];
  if (value.type === T.array) {
    if (name === undefined) value.value.items.forEach(add);
    else if (allDigits.test(name)) visitItem(value.value, path, at, add);
    else for (const item of value.value.items) visitField(item, path, at, add);
  } else if (name === undefined) add(value);
  else visitField(value, path, at, add);
}

const allDigits = /^\d+$/;

function visitItem({ items }: List, path: Path, at: number, add: (value: Value) => void): void {
  visitValues(items[arrayIndex(path[at] ?? "")], path, at + 1, add);
}

function visitField(value: Value, path: Path, at: number, add: (value: Value) => void): void {
  if (value.type === T.document) visitValues(value.value.get(path[at] ?? ""), path, at + 1, add);
}
