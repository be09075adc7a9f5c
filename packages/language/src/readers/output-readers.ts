import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Variable } from "../names/declared-names.ts";
import { type SyntaxNode, scalarAt } from "../yaml/syntax.ts";
import { checkType, declaredIn, reportUnknownName } from "./lookups.ts";
import { declaredName } from "./name-readers.ts";
import type { Reader } from "./readers.ts";

/** A variable that a block may write and whose type may fit the value; without `types`, any value. */
export function outputOf(...types: string[]): Reader<string> {
  return declaredName("variable", "a variable", (name, node, context) => {
    const variable = ownVariable(name, node, context);
    if (variable === undefined) return undefined;
    const { session } = context.names;
    // Clients can read the variables of a conversation, but only the result of a worker.
    if (context.format === "interactive") session.use(name);
    session.write(name);
    if (isReadonly(variable, node, name, context)) return undefined;
    return types.length === 0 || checkType(name, variable, types, node, context) ? name : undefined;
  });
}

/** The variable that a worker returns, which counts as reading it. */
export const returnedName = declaredName("variable", "a variable", (name, node, context) => {
  const variable = ownVariable(name, node, context);
  return variable && context.names.session.use(name) && name;
});

/** One of `variables:`, for a key called `output`. */
function ownVariable(name: string, node: SyntaxNode, context: Context): Variable | undefined {
  const { session } = context.names;
  const variable = session.get(name);
  if (variable?.section === "variables") return variable;
  const text = `${whatIs(name, context)}; output must name one of variables.`;
  const unknown = { name, tables: [session], among: declaredIn("variables", context) };
  return reportUnknownName("UNDECLARED_VARIABLE", text, unknown, node, context);
}

function whatIs(name: string, { names: { session, triggerOf } }: Context): string {
  const section = session.get(name)?.section;
  if (section === "input" || (section === undefined && triggerOf.has(name)))
    return `${quote(name)} is input, which never changes`;
  if (section === "variables") return `${quote(name)} is a variable`;
  return section === undefined ? `${quote(name)} is not declared` : `${quote(name)} is a resource`;
}

/** Reports a read-only variable or resource. */
function isReadonly(
  { declaration, section }: Variable,
  node: SyntaxNode,
  name: string,
  { report }: Context,
): boolean {
  if (scalarAt(declaration, "readonly") !== true) return false;
  const what = section === "resources" ? "resource" : "variable";
  report.add(
    "READONLY_RESOURCE",
    node,
    `The ${what} ${quote(name)} is declared readonly, so no block can write it.`,
  );
  return true;
}

export const outputName = outputOf();

/** A resource that may be written. Clients see each write. */
export const resourceName = declaredName("variable", "a resource", (name, node, context) => {
  const { session } = context.names;
  const resource = session.get(name);
  if (resource?.section !== "resources") {
    const text = `${whatIs(name, context)}; set-resource must name one of resources.`;
    const unknown = { name, tables: [session], among: declaredIn("resources", context) };
    return reportUnknownName("UNDECLARED_VARIABLE", text, unknown, node, context);
  }
  session.use(name);
  session.write(name);
  return isReadonly(resource, node, name, context) ? undefined : name;
});
