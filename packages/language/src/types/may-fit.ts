import type { TypeRef } from "../program.ts";
import type { TypeTable, TypeUse } from "./resolve-type.ts";

/**
 * Whether a value of one type may be a value of the other. Lenient: false only if that is impossible, such as a flag
 * where text is expected. `unknown` fits everything, and custom types are compared only by shape.
 */
export function mayFit(from: TypeUse, to: TypeUse, types: TypeTable): boolean {
  return fits(from.ref, to.ref, types);
}

function fits(from: TypeRef, to: TypeRef, types: TypeTable): boolean {
  if (from.kind === "unknown" || to.kind === "unknown") return true;
  const [a, b] = [outline(from, types), outline(to, types)];
  if (a !== b) return a === "any" || b === "any";
  return from.kind === "array" && to.kind === "array" ? fits(from.items, to.items, types) : true;
}

type Outline = "text" | "number" | "flag" | "object" | "list" | "any";

function outline(type: TypeRef, types: TypeTable): Outline {
  switch (type.kind) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "flag";
    case "file":
      return "object";
    case "array":
      return "list";
    case "unknown":
      return "any";
    case "custom":
      return customOutline(type.name, types);
    default:
      return type satisfies never;
  }
}

function customOutline(name: string, types: TypeTable): Outline {
  const shape = types.resolve(name)?.shape;
  if (shape === undefined) return "any";
  return shape === "array" ? "list" : "object";
}
