import { isUtf8 } from "node:buffer";
import { notSupported, StoreError } from "../errors.ts";
import { DamagedDocument } from "./layout.ts";
import { T } from "./types.ts";

/** Deeper nesting than this is refused (MongoDB allows 100 levels), so that no recursion in this server can exhaust the stack. */
export const maxDepth = 180;

/** Bytes from the network that are not BSON. Their connection is closed. */
export class MalformedBson extends Error {
  constructor(problem: string) {
    super(`malformed BSON: ${problem}`);
    this.name = "MalformedBson";
  }
}

/**
 * Checks a document at `start` completely (lengths, terminators, types, depth) and returns its end.
 * All later code may trust the bytes. Throws MalformedBson, and StoreError for valid BSON that
 * is too deep or has a deprecated type.
 */
export function validateDocument(raw: Buffer, start: number, limit: number, depth = 0): number {
  if (depth > maxDepth) {
    throw new StoreError("Overflow", `A document is nested more than ${maxDepth} levels deep`);
  }
  const end = start + readLength(raw, start, limit);
  if (end - start < 5 || end > limit) throw new MalformedBson("a document has an invalid length");
  if (raw[end - 1] !== 0) throw new MalformedBson("a document does not end with a zero byte");
  let at = start + 4;
  while (at < end - 1) {
    const type = raw[at] ?? 0;
    const valueStart = afterZero(raw, at + 1, end - 1);
    at = validateValue(raw, type, valueStart, end - 1, depth);
    if (at > end - 1) throw new MalformedBson("a value reaches beyond its document");
  }
  return end;
}

/** Checks only the length of a stored document and its last byte. Throws DamagedDocument. */
export function checkFrame(content: Buffer): void {
  const { length } = content;
  if (length >= 5 && content.readInt32LE(0) === length && content[length - 1] === 0) return;
  throw new DamagedDocument("its length is wrong");
}

/** Checks a stored document that a client receives without being decoded here. Throws DamagedDocument. */
export function checkStored(content: Buffer): void {
  try {
    if (validateDocument(content, 0, content.length) < content.length)
      throw new MalformedBson("it is longer than its length");
  } catch (error) {
    // Earlier versions stored deeper documents.
    if (error instanceof StoreError && error.codeName === "Overflow") return;
    throw new DamagedDocument(error instanceof Error ? error.message : String(error));
  }
}

function validateValue(raw: Buffer, type: number, start: number, limit: number, depth: number): number {
  switch (type) {
    case T.null:
    case T.minKey:
    case T.maxKey:
      return start;
    case T.boolean:
      if ((raw[start] ?? 2) > 1) throw new MalformedBson("a boolean is neither 0 nor 1");
      return start + 1;
    case T.int32:
      return start + 4;
    case T.double:
    case T.date:
    case T.int64:
    case T.timestamp:
      return start + 8;
    case T.objectId:
      return start + 12;
    case T.decimal128:
      return start + 16;
    case T.string:
    case T.code:
      return validateString(raw, start, limit);
    case T.binary:
      return start + 5 + readLength(raw, start, limit);
    case T.document:
    case T.array:
      return validateDocument(raw, start, limit, depth + 1);
    case T.regex:
      return afterZero(raw, afterZero(raw, start, limit), limit);
    default:
      throw unknownType(type);
  }
}

const deprecatedTypes: Readonly<Record<number, string>> = {
  6: "undefined",
  12: "DBPointer",
  14: "symbol",
  15: "JavaScript code with scope",
};

function unknownType(type: number): Error {
  const name = deprecatedTypes[type];
  return name ? notSupported(`The BSON type '${name}'`) : new MalformedBson(`type ${type} is unknown`);
}

function validateString(raw: Buffer, start: number, limit: number): number {
  const length = readLength(raw, start, limit);
  const end = start + 4 + length;
  if (length < 1 || end > limit || raw[end - 1] !== 0) {
    throw new MalformedBson("a string has an invalid length");
  }
  checkUtf8(raw, start + 4, end - 1);
  return end;
}

const shortBytes = 64;

// Decoding would replace invalid bytes, so that a client's text would be stored as another one.
function checkUtf8(raw: Buffer, start: number, end: number): void {
  if (end - start <= shortBytes && isAscii(raw, start, end)) return;
  if (!isUtf8(raw.subarray(start, end))) throw new StoreError("BadValue", "A text is not valid UTF-8");
}

// For short texts this is faster than creating a view of the bytes and calling out of JavaScript.
function isAscii(raw: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((raw[at] ?? 0) > 127) return false;
  return true;
}

function readLength(raw: Buffer, at: number, limit: number): number {
  if (at + 4 > limit) throw new MalformedBson("a length is truncated");
  const length = raw.readInt32LE(at);
  if (length < 0) throw new MalformedBson("a length is negative");
  return length;
}

function afterZero(raw: Buffer, from: number, limit: number): number {
  const zero = raw.indexOf(0, from);
  if (zero < 0 || zero >= limit) throw new MalformedBson("a name is not terminated");
  checkUtf8(raw, from, zero);
  return zero + 1;
}
