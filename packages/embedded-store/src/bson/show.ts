import { Decimal128 } from "bson";
import { T } from "./types.ts";
import type { NumberValue, Value } from "./value.ts";

const maxShown = 200;

/** Formats a value as in MongoDB's messages, truncated if long. */
export function show(value: Value | undefined): string {
  const text = render(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

function render(value: Value | undefined): string {
  if (value === undefined) return "null";
  switch (value.type) {
    case T.string:
    case T.code:
      return JSON.stringify(value.value);
    case T.document: {
      const fields = Array.from(value.value, ([name, field]) => `${name}: ${render(field)}`);
      return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
    }
    case T.array: {
      const items = value.value.items.map(render);
      return items.length === 0 ? "[]" : `[ ${items.join(", ")} ]`;
    }
    case T.objectId:
      return `ObjectId('${value.value.toString("hex")}')`;
    case T.date:
      return `new Date(${value.value})`;
    case T.binary:
      return `BinData(${value.value.subtype}, ${value.value.bytes.toString("hex").toUpperCase()})`;
    case T.regex:
      return `/${value.value.pattern}/${value.value.flags}`;
    case T.timestamp:
      return `Timestamp(${value.value >> 32n}, ${value.value & 0xffffffffn})`;
    case T.minKey:
      return "MinKey";
    case T.maxKey:
      return "MaxKey";
    case T.boolean:
    case T.null:
      return String(value.value);
    default:
      return showNumber(value);
  }
}

function showNumber(value: NumberValue): string {
  if (value.type === T.decimal128) return new Decimal128(value.value).toString();
  if (value.type === T.double && Number.isInteger(value.value)) return value.value.toFixed(1);
  return String(value.value);
}
