import {
  array,
  Doc,
  document,
  double,
  falseValue,
  int32,
  int64,
  List,
  nullValue,
  string,
  trueValue,
  type Value,
} from "./value.ts";

/** JavaScript values that replies are built from. Integers become int32 if they fit. */
export type Plain =
  | string
  | number
  | bigint
  | boolean
  | null
  | Doc
  | List
  | Value
  | readonly Plain[]
  | PlainFields;

export interface PlainFields {
  readonly [name: string]: Plain | undefined;
}

/** Builds a document from plain values; undefined fields are omitted. */
export function doc(fields: PlainFields): Doc {
  const result = new Doc();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) result.set(name, toValue(value));
  }
  return result;
}

export function toValue(plain: Plain): Value {
  if (plain === null) return nullValue;
  if (typeof plain === "string") return string(plain);
  if (typeof plain === "boolean") return plain ? trueValue : falseValue;
  if (typeof plain === "bigint") return int64(plain);
  if (typeof plain === "number") return (plain | 0) === plain ? int32(plain) : double(plain);
  if (plain instanceof Doc) return document(plain);
  if (plain instanceof List) return array(plain);
  if (isList(plain)) return array(new List(plain.map(toValue)));
  return isValue(plain) ? plain : document(doc(plain));
}

function isList(plain: object): plain is readonly Plain[] {
  return Array.isArray(plain);
}

function isValue(plain: object): plain is Value {
  return "type" in plain && typeof plain.type === "number" && "value" in plain;
}
