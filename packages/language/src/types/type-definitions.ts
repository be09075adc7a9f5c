import type { Context } from "../context.ts";
import { checkName } from "../names/names.ts";
import { object, optional, required } from "../readers/fields.ts";
import { listOf, type Reader, reader, wrongType } from "../readers/readers.ts";
import { flag, json, oneOf, text } from "../readers/value-readers.ts";
import type { JsonSchema } from "../values/json.ts";
import type { MapNode, SyntaxNode } from "../yaml/syntax.ts";
import { checkEnum, checkSingle } from "./allowed-values.ts";
import { arrayOf, described, type ResolvedType } from "./resolve-type.ts";
import { implicitType, reportImplicitType, typeUse } from "./type-use.ts";
import { unionType } from "./unions.ts";

function readTypeDefinition(node: SyntaxNode, context: Context): ResolvedType | undefined {
  if (node.kind !== "map") return wrongType(node, context, "a map of properties, an array or an anyOf");
  // `anyOf` with a map as its value is a property of that name.
  const variants = node.entries.get("anyOf")?.value;
  if (variants !== undefined && variants.kind !== "map") return unionType.read(node, context);
  const type = node.entries.get("type")?.value;
  if (isArrayNode(node)) return readArray(node, context);
  return type?.kind === "scalar" ? refuseKind(type, context) : readObject(node, context);
}

/** Refuses a `type` that JSON Schema allows here but this language does not. */
function refuseKind(type: SyntaxNode, { report }: Context): undefined {
  const text =
    "An object type lists its properties by name, without type: object; " +
    "a list has type: array and items; a union has anyOf and discriminator.";
  report.add("WRONG_TYPE", type, text);
  return undefined;
}

/** Both forms: `type: array` is an array, `type: {type: …}` a property called type. */
function isArrayNode(node: MapNode): boolean {
  const type = node.entries.get("type")?.value;
  return type?.kind === "scalar" && type.value === "array";
}

const arrayFields = {
  type: required(oneOf("array"), "Marks this as a list."),
  items: required(
    object({
      type: required(typeUse, "The type of each item."),
      description: optional(text, "What an item means."),
    }),
    "The items of the list.",
  ),
  description: optional(text, "What the list means."),
};
const arrayForm = object(arrayFields);

function readArray(node: SyntaxNode, context: Context): ResolvedType | undefined {
  const form = arrayForm.read(node, context);
  if (form === undefined) return undefined;
  const { resolved } = arrayOf({ ref: form.items.type.ref, resolved: form.items.type.resolved });
  return { ...resolved, shape: "array", schema: described(resolved.schema, form.description) };
}

const optionalProperty = optional(flag, "Whether the property may be absent.");

const propertyForm = object({
  type: implicitType("The type of the property."),
  description: optional(text, "What the property means, for the model."),
  optional: optionalProperty,
  enum: optional(listOf(json, "values"), "The allowed values."),
  const: optional(json, "The only allowed value. It distinguishes the variants of a union."),
});

const arrayPropertyForm = object({ ...arrayFields, optional: optionalProperty });

interface Property {
  readonly schema: JsonSchema;
  readonly optional: boolean;
  readonly nodes: number;
  readonly depth: number;
}

function readObject(node: MapNode, context: Context): ResolvedType | undefined {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  let [nodes, depth, complete] = [1, 0, true];
  for (const [name, { key, value }] of node.entries) {
    const valid = checkName("property", name, key, context.report, "The property");
    const property = readProperty(value, context);
    complete &&= valid && property !== undefined;
    if (property === undefined || !valid) continue;
    properties[name] = property.schema;
    if (!property.optional) required.push(name);
    nodes += property.nodes;
    depth = Math.max(depth, property.depth);
  }
  if (!complete) return undefined;
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { shape: "object", schema, nodes, depth: depth + 1 };
}

function readProperty(node: SyntaxNode, context: Context): Property | undefined {
  if (node.kind === "map" && isArrayNode(node)) {
    const form = arrayPropertyForm.read(node, context);
    const resolved = form && arrayOf(form.items.type).resolved;
    return (
      resolved && {
        ...resolved,
        optional: form.optional ?? false,
        schema: described(resolved.schema, form.description),
      }
    );
  }
  const form = propertyForm.read(node, context);
  if (form === undefined) return undefined;
  reportImplicitType(node, context);
  const { type, description, enum: allowed, const: only } = form;
  const fits = checkEnum(node, type.resolved.schema, allowed, context);
  const given = { value: only, allowed };
  if (!fits || !checkSingle("const", node, type.resolved.schema, given, context)) return undefined;
  const schema = described(
    {
      ...type.resolved.schema,
      ...(allowed && { enum: allowed }),
      ...(only !== undefined && { const: only }),
    },
    description,
  );
  return { schema, optional: form.optional ?? false, nodes: type.resolved.nodes, depth: type.resolved.depth };
}

/** Reads one entry of `types`: an object of properties, an array or a union. */
export const typeDefinition: Reader<ResolvedType> = reader(
  {
    kind: "anyOf",
    shapes: [
      unionType.shape,
      arrayForm.shape,
      {
        kind: "map",
        keys: "property",
        values: { kind: "anyOf", shapes: [propertyForm.shape, arrayPropertyForm.shape] },
      },
    ],
  },
  readTypeDefinition,
);
