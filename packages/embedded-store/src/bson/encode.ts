import { T } from "./types.ts";
import type { Doc, List, Value } from "./value.ts";

const keepBytes = 1024 * 1024;

/** A growing buffer, reused for successive messages. */
export class Writer {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #at = 0;

  /** Runs `write` on an empty buffer and returns a copy of the written bytes. */
  capture(write: (writer: Writer) => void): Buffer {
    this.#at = 0;
    write(this);
    const result = Buffer.allocUnsafe(this.#at);
    this.#buffer.copy(result, 0, 0, this.#at);
    if (this.#buffer.length > keepBytes) this.#buffer = Buffer.allocUnsafe(64 * 1024);
    return result;
  }

  get position(): number {
    return this.#at;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(bigger, 0, 0, this.#at);
    this.#buffer = bigger;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32LE(value, this.#at);
  }

  int32At(value: number, position: number): void {
    this.#buffer.writeInt32LE(value, position);
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigInt64LE(BigInt.asIntN(64, value), this.#at);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  cstring(text: string): void {
    this.#reserve(text.length * 3 + 1);
    this.#at += this.#buffer.write(text, this.#at, "utf8");
    this.#buffer[this.#at++] = 0;
  }

  string(text: string): void {
    const start = this.#at;
    this.int32(0);
    this.cstring(text);
    this.int32At(this.#at - start - 4, start);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}

const writer = new Writer();

/** Returns a document's bytes; the original bytes if it is unchanged. */
export function encodeDoc(doc: Doc): Buffer {
  return doc.raw ?? writer.capture((target) => writeDoc(target, doc));
}

export function writeDoc(target: Writer, doc: Doc): void {
  if (doc.raw) {
    target.bytes(doc.raw);
    return;
  }
  const start = target.position;
  target.int32(0);
  for (const [name, value] of doc) writeElement(target, name, value);
  target.byte(0);
  target.int32At(target.position - start, start);
}

function writeList(target: Writer, list: List): void {
  if (list.raw) {
    target.bytes(list.raw);
    return;
  }
  const start = target.position;
  target.int32(0);
  for (const [index, value] of list.items.entries()) writeElement(target, String(index), value);
  target.byte(0);
  target.int32At(target.position - start, start);
}

function writeElement(target: Writer, name: string, value: Value): void {
  target.byte(value.type);
  target.cstring(name);
  writeValue(target, value);
}

function writeValue(target: Writer, value: Value): void {
  switch (value.type) {
    case T.string:
    case T.code:
      target.string(value.value);
      break;
    case T.int32:
      target.int32(value.value);
      break;
    case T.double:
      target.double(value.value);
      break;
    case T.int64:
    case T.date:
    case T.timestamp:
      target.int64(value.value);
      break;
    case T.document:
      writeDoc(target, value.value);
      break;
    case T.array:
      writeList(target, value.value);
      break;
    case T.boolean:
      target.byte(value.value ? 1 : 0);
      break;
    case T.objectId:
    case T.decimal128:
      target.bytes(value.value);
      break;
    case T.binary:
      target.int32(value.value.bytes.length);
      target.byte(value.value.subtype);
      target.bytes(value.value.bytes);
      break;
    case T.regex:
      target.cstring(value.value.pattern);
      target.cstring(value.value.flags);
      break;
    case T.null:
    case T.minKey:
    case T.maxKey:
  }
}
