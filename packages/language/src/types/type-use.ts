import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import { defaulted, type Field } from "../readers/fields.ts";
import { type Reader, reader, wrongType } from "../readers/readers.ts";
import { isNull, missingAt, type SyntaxNode } from "../yaml/syntax.ts";
import { maxArrayDepth, partsOf, resolveType, scalarTypeNames, type TypeUse } from "./resolve-type.ts";

/** Reads `string`, `Order`, `Order[]` and so on. */
export const typeUse: Reader<TypeUse> = reader({ kind: "type" }, (node, context) => {
  const written = node.kind === "scalar" ? node.value : undefined;
  if (typeof written !== "string") return wrongType(node, context, "the name of a type");
  const use = resolveType(written, context.types);
  const { name, arrays } = partsOf(written);
  // An invalid type has been reported where it is declared.
  if (use === undefined && (!context.types.names.has(name) || arrays > maxArrayDepth)) {
    reportUnknown(node, name, context);
  }
  return use;
});

/** The built-in types by their names in other languages. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["bool", "boolean"],
  ["int", "integer"],
  ["long", "integer"],
  ["str", "string"],
  ["text", "string"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["object", "unknown"],
  ["dict", "unknown"],
  ["any", "unknown"],
  ["json", "unknown"],
]);

function reportUnknown(node: SyntaxNode, name: string, { report, types }: Context): void {
  const text = `Unknown type ${quote(name)}. Built-in types are ${scalarTypeNames.join(", ")}; declare others in types.`;
  const meant = otherNames.get(name.toLowerCase());
  const known = { name, among: [...scalarTypeNames, ...types.names] };
  report.add("UNKNOWN_TYPE", node, text, meant === undefined ? known : [meant]);
}

/** A key `type` that may be absent: definitions in use leave it out where any value is allowed. */
export function implicitType(doc: string): Field<TypeUse> {
  return defaulted(typeUse, unknownUse, `${doc} Default: unknown.`);
}

const unknownUse: TypeUse = { ref: { kind: "unknown" }, resolved: { schema: {}, nodes: 1, depth: 1 } };

/** Points out the absent `type` of a map that `implicitType` has read: a misspelt or forgotten one checks no value. */
export function reportImplicitType(node: SyntaxNode, { report }: Context): void {
  const type = node.kind === "map" ? node.entries.get("type")?.value : undefined;
  if (type !== undefined && !isNull(type)) return;
  report.add(
    "IMPLICIT_DEFAULT",
    missingAt(node, "type"),
    "No type is set, so it is unknown: any value fits.",
  );
}
