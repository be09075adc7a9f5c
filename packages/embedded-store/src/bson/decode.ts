import { StoreError } from "../errors.ts";
import { Doc } from "./doc.ts";
import { List } from "./list.ts";
import { falseValue, nullValue, T, trueValue, type Value } from "./value.ts";

/** Reads the top level of a well-formed document; nested documents and arrays stay bytes. */
export function decodeFields(raw: Buffer): Map<string, Value> {
  const fields = new Map<string, Value>();
  decodeElements(raw, (name, value) => {
    // Of a name that occurs twice the first counts, as on MongoDB.
    if (!fields.has(name)) fields.set(name, value);
  });
  return fields;
}

/** Reads the top level of a well-formed array; the names of its elements do not matter. */
export function decodeItems(raw: Buffer): Value[] {
  const items: Value[] = [];
  decodeElements(raw, (_name, value) => items.push(value));
  return items;
}

function decodeElements(raw: Buffer, visit: (name: string, value: Value) => void): void {
  const end = raw.length - 1;
  let at = 4;
  while (at < end) {
    const type = raw[at] ?? 0;
    const nameEnd = raw.indexOf(0, at + 1);
    const name = raw.toString("utf8", at + 1, nameEnd);
    const start = nameEnd + 1;
    at = start + valueLength(raw, type, start);
    visit(name, decodeValue(raw, type, start, at));
  }
}

/** Bytes that the value at `start` takes. */
export function valueLength(raw: Buffer, type: number, start: number): number {
  switch (type) {
    case T.null:
    case T.minKey:
    case T.maxKey:
      return 0;
    case T.boolean:
      return 1;
    case T.int32:
      return 4;
    case T.double:
    case T.date:
    case T.int64:
    case T.timestamp:
      return 8;
    case T.objectId:
      return 12;
    case T.decimal128:
      return 16;
    case T.string:
    case T.code:
      return 4 + raw.readInt32LE(start);
    case T.document:
    case T.array:
      return raw.readInt32LE(start);
    case T.binary:
      return 5 + raw.readInt32LE(start);
    case T.regex:
      return raw.indexOf(0, raw.indexOf(0, start) + 1) + 1 - start;
    default:
      throw new StoreError("BadValue", `BSON type ${type} is not supported`);
  }
}

function decodeValue(raw: Buffer, type: number, start: number, end: number): Value {
  switch (type) {
    case T.string:
    case T.code:
      return { type, value: raw.toString("utf8", start + 4, end - 1) };
    case T.int32:
      return { type, value: raw.readInt32LE(start) };
    case T.double:
      return { type, value: raw.readDoubleLE(start) };
    case T.int64:
    case T.date:
      return { type, value: raw.readBigInt64LE(start) };
    case T.timestamp:
      return { type, value: raw.readBigUInt64LE(start) };
    case T.document:
      return { type, value: Doc.fromRaw(raw.subarray(start, end)) };
    case T.array:
      return { type, value: new List(raw.subarray(start, end)) };
    case T.boolean:
      return raw[start] === 1 ? trueValue : falseValue;
    case T.objectId:
    case T.decimal128:
      return { type, value: raw.subarray(start, end) };
    case T.binary:
      return { type, value: { subtype: raw[start + 4] ?? 0, bytes: raw.subarray(start + 5, end) } };
    case T.regex: {
      const middle = raw.indexOf(0, start);
      const pattern = raw.toString("utf8", start, middle);
      return { type, value: { pattern, flags: raw.toString("utf8", middle + 1, end - 1) } };
    }
    case T.minKey:
    case T.maxKey:
      return { type, value: null };
    default:
      return nullValue;
  }
}
