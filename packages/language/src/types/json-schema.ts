import type { Context } from "../context.ts";
import { type MapEntry, type SyntaxNode, scalarAt } from "../yaml/syntax.ts";

/**
 * Finds parameters written as a JSON Schema, as on other platforms, instead of by name. A parameter that is really
 * called `type` or `properties` has a map as its value.
 */
export function isJsonSchema(node: SyntaxNode | undefined): boolean {
  if (node?.kind !== "map") return false;
  if (typeof scalarAt(node, "type") === "string") return true;
  return node.entries.has("properties") && node.entries.get("required")?.value.kind === "list";
}

/** Reports a JSON Schema once, with the same parameters in the expected form. */
export function reportJsonSchema(node: SyntaxNode, { report }: Context): undefined {
  const text =
    "Parameters are listed by name, not as a JSON Schema. " +
    `Write parameters: { ${exampleOf(node)} }; parameters are required unless they have optional: true.`;
  report.add("WRONG_TYPE", node, text);
  return undefined;
}

const maxExamples = 3;

function exampleOf(node: SyntaxNode): string {
  const properties = node.kind === "map" ? node.entries.get("properties")?.value : undefined;
  const entries: Array<[string, MapEntry]> = properties?.kind === "map" ? [...properties.entries] : [];
  const named = entries.filter(([name]) => /^[A-Za-z]\w{0,39}$/.test(name)).slice(0, maxExamples);
  const required = requiredIn(node);
  const written = named.map(([name, { value }]) => {
    const optional = required.has(name) ? "" : ", optional: true";
    return `${name}: { type: ${typeIn(value)}${optional} }`;
  });
  if (written.length === 0) return "orderId: { type: string }";
  return [...written, ...(entries.length > written.length ? ["…"] : [])].join(", ");
}

function requiredIn(node: SyntaxNode): ReadonlySet<unknown> {
  const list = node.kind === "map" ? node.entries.get("required")?.value : undefined;
  const items = list?.kind === "list" ? list.items : [];
  return new Set(items.map((item) => (item.kind === "scalar" ? item.value : undefined)));
}

const sameTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** Objects need a custom type of their own; until it exists, `unknown` accepts them. */
function typeIn(property: SyntaxNode): string {
  const type = scalarAt(property, "type");
  if (sameTypes.has(type)) return String(type);
  const items = property.kind === "map" ? property.entries.get("items")?.value : undefined;
  if (type === "array" && items !== undefined) return `${typeIn(items)}[]`;
  return type === "array" ? "unknown[]" : "unknown";
}
