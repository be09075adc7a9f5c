import { T } from "./types.ts";

/** A stored document is not well-formed: its bytes were checked when it was written, so the disk has changed them. */
export class DamagedDocument extends Error {
  constructor(problem: string) {
    super(`a stored document is damaged: ${problem}`);
    this.name = "DamagedDocument";
  }
}

/** The position after the name of the element whose name begins at `start`. */
export function afterName(raw: Buffer, start: number): number {
  const zero = raw.indexOf(0, start);
  if (zero < 0) throw new DamagedDocument("a name is not terminated");
  return zero + 1;
}

/** The position after the value at `start`, which is before the document's last byte. Otherwise, a loop could never end. */
export function afterValue(raw: Buffer, type: number, start: number): number {
  const end = start + valueLength(raw, type, start);
  if (end < start || end >= raw.length) throw new DamagedDocument("a value does not end within its document");
  return end;
}

function valueLength(raw: Buffer, type: number, start: number): number {
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
      return 4 + lengthAt(raw, start);
    case T.document:
    case T.array:
      return lengthAt(raw, start);
    case T.binary:
      return 5 + lengthAt(raw, start);
    case T.regex:
      return afterName(raw, afterName(raw, start)) - start;
    default:
      throw new DamagedDocument(`type ${type} is unknown`);
  }
}

function lengthAt(raw: Buffer, start: number): number {
  if (start + 4 > raw.length) throw new DamagedDocument("a length is cut off");
  return raw.readInt32LE(start);
}
