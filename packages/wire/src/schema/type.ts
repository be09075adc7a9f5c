import type {
  TAddOptional,
  TArray,
  TArrayOptions,
  TBoolean,
  TEnum,
  TEnumValue,
  TInteger,
  TLiteral,
  TLiteralValue,
  TNull,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TProperties,
  TRecord,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnion,
  TUnknown,
  TUnsafe,
} from "typebox";

/**
 * The builders of TypeBox that Muster uses: the same schemas, and the same types. A process that only describes values
 * would otherwise load 350 modules of TypeBox when it starts, which takes a tenth of the start.
 */
export const Type = {
  Array: <Items extends TSchema>(items: Items, options?: TArrayOptions) =>
    build<TArray<Items>>("Array", { type: "array", items }, options),
  Boolean: (options?: TSchemaOptions) => build<TBoolean>("Boolean", { type: "boolean" }, options),
  Enum: <Values extends TEnumValue[]>(values: readonly [...Values], options?: TSchemaOptions) =>
    build<TEnum<Values>>("Enum", { enum: values }, options),
  Integer: (options?: TNumberOptions) => build<TInteger>("Integer", { type: "integer" }, options),
  Literal: <const Value extends TLiteralValue>(value: Value, options?: TSchemaOptions) =>
    build<TLiteral<Value>>("Literal", { type: typeof value, const: value }, options),
  Null: (options?: TSchemaOptions) => build<TNull>("Null", { type: "null" }, options),
  Number: (options?: TNumberOptions) => build<TNumber>("Number", { type: "number" }, options),
  Object: <Properties extends TProperties>(properties: Properties, options?: TObjectOptions) =>
    build<TObject<Properties>>("Object", { type: "object", ...requiredOf(properties), properties }, options),
  /** The property may be absent. */
  Optional: <Schema extends TSchema>(schema: Schema) => mark<TAddOptional<Schema>>(schema, "~optional", true),
  /** An object with any keys. */
  Record: <Value extends TSchema>(_key: TString, value: Value, options?: TObjectOptions) =>
    build<TRecord<"^.*$", Value>>(
      "Record",
      { type: "object", patternProperties: { "^.*$": value } },
      options,
    ),
  String: (options?: TStringOptions) => build<TString>("String", { type: "string" }, options),
  Union: <Schemas extends TSchema[]>(anyOf: [...Schemas], options?: TSchemaOptions) =>
    build<TUnion<Schemas>>("Union", { anyOf }, options),
  Unknown: (options?: TSchemaOptions) => build<TUnknown>("Unknown", {}, options),
  /** Any schema, with the static type that the caller names. */
  Unsafe: <Value>(schema: TSchema) => mark<TUnsafe<Value>>(schema, "~unsafe", null),
};

function requiredOf(properties: TProperties): { required?: string[] } {
  const required = Object.keys(properties).filter(
    (key) => !Object.hasOwn(properties[key] ?? {}, "~optional"),
  );
  return required.length > 0 ? { required } : {};
}

function build<Schema extends TSchema>(kind: string, keywords: object, options: object | undefined): Schema {
  return withHidden<Schema>({ ...keywords, ...options }, "~kind", kind);
}

/** A copy with its hidden fields. */
function mark<Schema extends TSchema>(schema: TSchema, key: string, value: unknown): Schema {
  return withHidden<Schema>(
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)),
    key,
    value,
  );
}

/** TypeBox's own marks are not part of the JSON. The static type is that of TypeBox; a test compares each schema with its. */
function withHidden<Schema extends TSchema>(schema: object, key: string, value: unknown): Schema {
  const hidden = { configurable: true, writable: true, enumerable: false, value };
  return Object.defineProperty(schema, key, hidden) as Schema;
}
