import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from "mongodb";
import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";

/** A document for the driver that is stored byte for byte as here: a plain object would sort names such as `10` and `9`. */
export function typedDocument(doc: Doc): Map<string, unknown> {
  return new Map(Array.from(doc, ([name, value]) => [name, typed(value)]));
}

function typed({ type, value }: Value): unknown {
  switch (type) {
    case T.double:
      return new Double(value);
    case T.int32:
      return new Int32(value);
    case T.int64:
      return Long.fromBigInt(value);
    case T.decimal128:
      return new Decimal128(value);
    case T.document:
      return typedDocument(value);
    case T.array:
      return value.items.map(typed);
    case T.binary:
      return new Binary(value.bytes, value.subtype);
    case T.objectId:
      return new ObjectId(value);
    case T.date:
      return new Date(Number(value));
    case T.regex:
      return new BSONRegExp(value.pattern, value.flags);
    case T.code:
      return new Code(value);
    case T.timestamp:
      return new Timestamp(value);
    case T.minKey:
      return new MinKey();
    case T.maxKey:
      return new MaxKey();
    case T.string:
    case T.boolean:
    case T.null:
      return value;
  }
}
