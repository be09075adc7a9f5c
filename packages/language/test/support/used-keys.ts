import type { FieldShapes, Shape } from "../../src/grammar/shapes.ts";
import { isJsonObject, type JsonValue } from "../../src/values/json.ts";

/** All keys of a part of the grammar, as paths in which `*` represents a name. */
export function keysOf(fields: FieldShapes, path = ""): string[] {
  return Object.entries(fields).flatMap(([key, { shape }]) => [
    `${path}${key}`,
    ...keysIn(shape, `${path}${key}`),
  ]);
}

function keysIn(shape: Shape, path: string): string[] {
  switch (shape.kind) {
    case "object":
      return keysOf(shape.fields, `${path}.`);
    case "list":
      return keysIn(shape.items, path);
    case "map":
      return keysIn(shape.values, `${path}.*`);
    case "anyOf":
      return shape.shapes.flatMap((one) => keysIn(one, path));
    case "tagged":
      return Object.entries(shape.variants).flatMap(([tag, { fields }]) =>
        keysOf(fields, `${path}(${tag}).`),
      );
    default:
      return [];
  }
}

/** Adds the keys that a value uses to `used`. */
export function markUsed(fields: FieldShapes, value: JsonValue, used: Set<string>, path = ""): void {
  for (const [key, { shape }] of Object.entries(fields)) {
    const item = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (item === undefined) continue;
    used.add(`${path}${key}`);
    markIn(shape, item, used, `${path}${key}`);
  }
}

function markIn(shape: Shape, value: JsonValue, used: Set<string>, path: string): void {
  switch (shape.kind) {
    case "object":
      markUsed(shape.fields, value, used, `${path}.`);
      break;
    case "list":
      if (Array.isArray(value)) for (const item of value) markIn(shape.items, item, used, path);
      break;
    case "map":
      if (isJsonObject(value))
        for (const item of Object.values(value)) markIn(shape.values, item, used, `${path}.*`);
      break;
    case "anyOf":
      for (const one of shape.shapes) markIn(one, value, used, path);
      break;
    case "tagged": {
      const tag = isJsonObject(value) ? value[shape.tag] : undefined;
      const variant = typeof tag === "string" ? shape.variants[tag] : undefined;
      if (variant !== undefined) markUsed(variant.fields, value, used, `${path}(${tag}).`);
      break;
    }
    default:
      break;
  }
}
