import type { Doc } from "./doc.ts";
import type { List } from "./list.ts";

/** BSON's type bytes. The deprecated types (undefined, symbol, DBPointer, code with scope) are refused. */
export const T = {
  double: 1,
  string: 2,
  document: 3,
  array: 4,
  binary: 5,
  objectId: 7,
  boolean: 8,
  date: 9,
  null: 10,
  regex: 11,
  code: 13,
  int32: 16,
  timestamp: 17,
  int64: 18,
  decimal128: 19,
  maxKey: 127,
  minKey: 255,
} as const;

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

const aliases: Record<number, string> = {
  [T.double]: "double",
  [T.string]: "string",
  [T.document]: "object",
  [T.array]: "array",
  [T.binary]: "binData",
  [T.objectId]: "objectId",
  [T.boolean]: "bool",
  [T.date]: "date",
  [T.null]: "null",
  [T.regex]: "regex",
  [T.code]: "javascript",
  [T.int32]: "int",
  [T.timestamp]: "timestamp",
  [T.int64]: "long",
  [T.decimal128]: "decimal",
  [T.minKey]: "minKey",
  [T.maxKey]: "maxKey",
};

/** MongoDB's name of a type, as `$type` and its messages use it. */
export function typeName(value: Value | undefined): string {
  return value === undefined ? "missing" : (aliases[value.type] ?? "unknown");
}

/** Type byte of a name that `$type` accepts; undefined for an unknown name. */
export function typeByName(name: string): number | undefined {
  for (const [type, alias] of Object.entries(aliases)) if (alias === name) return Number(type);
  return undefined;
}
