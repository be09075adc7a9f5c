import { encodeKey } from "../bson/key-encoding.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { array, Doc, List, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { openQuery } from "../query/cursor.ts";
import { anyAt, parseFieldPath } from "../query/path.ts";
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
        visitValues(Doc.fromRaw(content), path, add);
        return true;
      });
    }
    return doc({ values: array(new List([...found.values()])) });
  },
};

// Each element of an array at the end of the path counts, but not the array itself.
function visitValues(content: Doc, path: readonly string[], add: (value: Value) => void): void {
  anyAt(content, path, true, (value) => {
    if (value?.type === T.array) value.value.items.forEach(add);
    else if (value) add(value);
    return false;
  });
}
