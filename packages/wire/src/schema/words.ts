import type { JsonValue } from "@muster/language";
import type {
  TArrayOptions,
  TEnumValue,
  TNull,
  TNumberOptions,
  TObjectOptions,
  TProperties,
  TSchema,
  TString,
  TStringOptions,
  TUnion,
} from "typebox";
import { Type } from "typebox";

// Every value of the contract has a description, which is the first argument; its rules are the last.

/** The property may be absent. */
export const optional = Type.Optional;

export function text(description: string, rules: TStringOptions = {}) {
  return Type.String({ ...rules, description });
}

export function integer(description: string, rules: TNumberOptions = {}) {
  return Type.Integer({ ...rules, description });
}

/** An integer that is never negative. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

export function flag(description: string) {
  return Type.Boolean({ description });
}

/** A text that is one of the names. */
export function oneOf<Names extends TEnumValue[]>(description: string, names: readonly [...Names]) {
  return Type.Enum(names, { description });
}

/** Any JSON value. */
export function json(description: string) {
  return Type.Unsafe<JsonValue>({ description });
}

export function list<Item extends TSchema>(description: string, item: Item, rules: TArrayOptions = {}) {
  return Type.Array(item, { ...rules, description });
}

/** The value, a text by default, is always present, but may be null. */
export function nullable(description: string): TUnion<[TString, TNull]>;
export function nullable<Schema extends TSchema>(
  description: string,
  schema: Schema,
): TUnion<[Schema, TNull]>;
export function nullable(description: string, schema: TSchema = Type.String()) {
  return Type.Union([schema, Type.Null()], { description });
}

/** An object that is a component of the OpenAPI document, named by its title. */
export function object<Fields extends TProperties>(
  title: string,
  description: string,
  fields: Fields,
  more: TObjectOptions = {},
) {
  return Type.Object(fields, { title, description, ...more });
}

/** An object without a component of its own. */
export function inline<Fields extends TProperties>(description: string, fields: Fields) {
  return Type.Object(fields, { description });
}
