import { afterName, afterValue } from "./layout.ts";
import { T, typeNames } from "./types.ts";

/*
 * Values, documents and arrays contain each other and decode each other lazily, so they share a file.
 */

interface Of<K extends number, V> {
  readonly type: K;
  readonly value: V;
}

export interface Binary {
  readonly subtype: number;
  readonly bytes: Buffer;
}

export interface Regex {
  readonly pattern: string;
  readonly flags: string;
}

export type DocumentValue = Of<typeof T.document, Doc>;
export type ArrayValue = Of<typeof T.array, List>;
export type DecimalValue = Of<typeof T.decimal128, Buffer>;
export type NumberValue =
  | Of<typeof T.double, number>
  | Of<typeof T.int32, number>
  | Of<typeof T.int64, bigint>
  | DecimalValue;

/**
 * One BSON value with its exact type. JavaScript's own values would lose it: `1` may be an int32 or a double,
 * and an update must keep which.
 */
export type Value =
  | NumberValue
  | DocumentValue
  | ArrayValue
  | Of<typeof T.string, string>
  | Of<typeof T.binary, Binary>
  | Of<typeof T.objectId, Buffer>
  | Of<typeof T.boolean, boolean>
  /** Milliseconds since 1970. */
  | Of<typeof T.date, bigint>
  | Of<typeof T.null, null>
  | Of<typeof T.regex, Regex>
  | Of<typeof T.code, string>
  | Of<typeof T.timestamp, bigint>
  | Of<typeof T.maxKey, null>
  | Of<typeof T.minKey, null>;

export const nullValue: Value = { type: T.null, value: null };
export const trueValue: Value = { type: T.boolean, value: true };
export const falseValue: Value = { type: T.boolean, value: false };

export const int32 = (value: number): Value => ({ type: T.int32, value });
export const int64 = (value: bigint): Value => ({ type: T.int64, value });
export const double = (value: number): Value => ({ type: T.double, value });
export const string = (value: string): Value => ({ type: T.string, value });
export const date = (milliseconds: number): Value => ({ type: T.date, value: BigInt(milliseconds) });
export const document = (value: Doc): Value => ({ type: T.document, value });
export const array = (value: List): Value => ({ type: T.array, value });

export function isNumber(value: Value): value is NumberValue {
  const type = value.type;
  return type === T.int32 || type === T.double || type === T.int64 || type === T.decimal128;
}

/** MongoDB's name of a type, as `$type` and its messages use it. */
export function typeName(value: Value | undefined): string {
  return value === undefined ? "missing" : (typeNames[value.type] ?? "unknown");
}

/**
 * A BSON document with ordered fields. It stays undecoded until a field is read, and an undecoded
 * document is written back as the original bytes, so untouched parts of a document cost nothing.
 */
export class Doc {
  #raw: Buffer | undefined;
  #fields: Map<string, Value> | undefined;

  constructor(fields?: Iterable<readonly [string, Value]>) {
    this.#fields = new Map(fields);
  }

  /** `raw` must be exactly one well-formed document (see validate.ts). */
  static fromRaw(raw: Buffer): Doc {
    const doc = new Doc();
    doc.#raw = raw;
    doc.#fields = undefined;
    return doc;
  }

  /** The original bytes; undefined after a change. */
  get raw(): Buffer | undefined {
    return this.#raw;
  }

  get fields(): Map<string, Value> {
    this.#fields ??= decodeFields(this.#raw ?? emptyDocument);
    return this.#fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(name: string): Value | undefined {
    return this.fields.get(name);
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Replaces a field in place; a new field is appended. */
  set(name: string, value: Value): this {
    this.fields.set(name, value);
    this.#raw = undefined;
    return this;
  }

  delete(name: string): void {
    if (this.fields.delete(name)) this.#raw = undefined;
  }

  /** A copy whose own fields can be changed; nested documents are shared and must be copied before a change. */
  copy(): Doc {
    const copy = new Doc(this.fields);
    copy.#raw = this.#raw;
    return copy;
  }

  /** The name of the first field, which is the name of a command and decides the kind of an update. */
  firstName(): string | undefined {
    for (const name of this.fields.keys()) return name;
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.fields.entries();
  }
}

const emptyDocument = Buffer.from([5, 0, 0, 0, 0]);

/** A BSON array, decoded on first access. */
export class List {
  readonly #raw: Buffer | undefined;
  #items: readonly Value[] | undefined;

  constructor(items: readonly Value[] | Buffer) {
    if (Buffer.isBuffer(items)) this.#raw = items;
    else this.#items = items;
  }

  get raw(): Buffer | undefined {
    return this.#raw;
  }

  get items(): readonly Value[] {
    this.#items ??= this.#raw ? decodeItems(this.#raw) : [];
    return this.#items;
  }
}

/** Reads the top level of a well-formed document; nested documents and arrays stay bytes. */
function decodeFields(raw: Buffer): Map<string, Value> {
  const fields = new Map<string, Value>();
  decodeElements(raw, (name, value) => {
    // If a name occurs twice, the first one counts, as on MongoDB.
    if (!fields.has(name)) fields.set(name, value);
  });
  return fields;
}

/** Reads the top level of a well-formed array and ignores its element names. */
function decodeItems(raw: Buffer): Value[] {
  const items: Value[] = [];
  decodeElements(raw, (_name, value) => items.push(value));
  return items;
}

function decodeElements(raw: Buffer, visit: (name: string, value: Value) => void): void {
  const end = raw.length - 1;
  let at = 4;
  while (at < end) {
    const type = raw[at] ?? 0;
    const start = afterName(raw, at + 1);
    const name = raw.toString("utf8", at + 1, start - 1);
    at = afterValue(raw, type, start);
    visit(name, decodeValue(raw, type, start, at));
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
