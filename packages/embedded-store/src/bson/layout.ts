import { T } from "./types.ts";

/** Number of bytes of the value at `start`. */
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
      throw new RangeError(`BSON type ${type} is not supported`);
  }
}
