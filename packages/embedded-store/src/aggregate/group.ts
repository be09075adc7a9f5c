import { encodeKey } from "../bson/key-encoding.ts";
import { T } from "../bson/types.ts";
import { Doc, document, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { entryBytes } from "../query/memory.ts";
import { fromIterator, mapped } from "../query/source.ts";
import type { Accumulator } from "./accumulator.ts";
import { parseAccumulator } from "./accumulators.ts";
import { detached } from "./detached.ts";
import { type Evaluate, parseExpression } from "./expression.ts";
import { blocking, type Stage } from "./stage.ts";

interface Group {
  readonly id: Value;
  readonly accumulators: readonly Accumulator[];
}

// In an id with a single field, MongoDB turns a missing value into null; with several it omits the field.
function parseGroupId(id: Value): Evaluate {
  const evaluate = parseExpression(id);
  const name = id.type === T.document && id.value.size === 1 ? id.value.firstName() : undefined;
  if (name === undefined || name.startsWith("$")) return evaluate;
  return (each) => {
    const value = evaluate(each);
    const isEmpty = value?.type === T.document && value.value.size === 0;
    return isEmpty ? document(new Doc([[name, nullValue]])) : value;
  };
}

/** `$group`: one document per distinct `_id`, in order of first appearance. */
export function group(source: Doc): Stage {
  const id = source.get("_id");
  if (!id) throw new StoreError("Location15955", "a group specification must include an _id");
  const evaluateId = parseGroupId(id);
  const fields = [...source]
    .filter(([name]) => name !== "_id")
    .map(([name, value]) => {
      if (name.includes(".")) {
        throw new StoreError("Location40235", `The field name '${name}' cannot contain '.'`);
      }
      if (name.startsWith("$")) {
        throw new StoreError("Location40236", `The field name '${name}' cannot be an operator name`);
      }
      return { name, ...parseAccumulator(name, value) };
    });
  return (input, { memory, pace }) => {
    const groups = new Map<string, Group>();
    const take = (doc: Doc) => {
      const value = evaluateId(doc) ?? nullValue;
      const key = encodeKey(value).toString("latin1");
      let found = groups.get(key);
      if (!found) {
        memory.take(2 * key.length + entryBytes * (3 + fields.length), "Group");
        found = { id: detached(value), accumulators: fields.map((field) => field.start(memory)) };
        groups.set(key, found);
      }
      for (const [i, field] of fields.entries()) found.accumulators[i]?.add(field.evaluate(doc));
    };
    const result = ({ id, accumulators }: Group) => {
      const results = accumulators.map((each, i) => [fields[i]?.name ?? "", each.result()] as const);
      return new Doc([["_id", id], ...results]);
    };
    return blocking(input, take, () => mapped(fromIterator(groups.values(), pace), result));
  };
}
