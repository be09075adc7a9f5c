import type { ScalarTypeName, TypeRef } from "../program.ts";
import { isJsonObject, type JsonSchema } from "../values/json.ts";

const scalarSchemas: Readonly<Record<ScalarTypeName, JsonSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  unknown: {},
  file: {
    type: "object",
    properties: {
      id: { type: "string" },
      mediaType: { type: "string" },
      url: { type: "string" },
      filename: { type: "string" },
      size: { type: "integer" },
    },
    required: ["id", "mediaType", "url"],
  },
};

const fileFields = ["id", "mediaType", "url"] as const;

/** Whether the values of a schema are files. A custom type with the fields of a file is one, too. */
export function isFileSchema({ type, properties, required }: JsonSchema): boolean {
  if (type !== "object" || !Array.isArray(required) || !isJsonObject(properties)) return false;
  return fileFields.every((name) => Object.hasOwn(properties, name) && required.includes(name));
}

/** A type with all nested types expanded. */
export interface ResolvedType {
  readonly schema: JsonSchema;
  /** The kind of a custom type; undefined for other types. */
  readonly shape?: "object" | "array" | "union";
  /** Schema nodes in it, which bounds how far nested types may grow. */
  readonly nodes: number;
  readonly depth: number;
}

/** The custom types of a definition. */
export interface TypeTable {
  /** All names, including those of invalid types. */
  readonly names: ReadonlySet<string>;
  /** Undefined for an invalid type, which has been reported. */
  resolve(name: string): ResolvedType | undefined;
}

/** A use of a type: the reference and its schema. */
export interface TypeUse {
  readonly ref: TypeRef;
  readonly resolved: ResolvedType;
}

export const maxArrayDepth = 8;

/** Resolves a written type; undefined if the type does not exist or is invalid. */
export function resolveType(written: string, types: TypeTable): TypeUse | undefined {
  const { name, arrays } = partsOf(written);
  const element = elementType(name, types);
  if (element === undefined || arrays > maxArrayDepth) return undefined;
  let use = element;
  for (let i = 0; i < arrays; i++) use = arrayOf(use);
  return use;
}

/** `Order[][]` is `Order` inside two arrays. */
export function partsOf(written: string): { name: string; arrays: number } {
  const name = written.replace(/(?:\[\])+$/, "");
  return { name, arrays: (written.length - name.length) / 2 };
}

function elementType(name: string, types: TypeTable): TypeUse | undefined {
  if (isScalarType(name)) {
    return { ref: { kind: name }, resolved: { schema: scalarSchemas[name], nodes: 1, depth: 1 } };
  }
  const resolved = types.names.has(name) ? types.resolve(name) : undefined;
  return resolved && { ref: { kind: "custom", name }, resolved };
}

export function arrayOf({ ref, resolved }: TypeUse): TypeUse {
  const schema: JsonSchema = { type: "array", items: resolved.schema };
  return {
    ref: { kind: "array", items: ref },
    resolved: { schema, nodes: resolved.nodes + 1, depth: resolved.depth + 1 },
  };
}

/** The schema with its author's description, for the model. */
export function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description };
}

export const scalarTypeNames: readonly string[] = Object.keys(scalarSchemas);

export function isScalarType(name: string): name is ScalarTypeName {
  return Object.hasOwn(scalarSchemas, name);
}
