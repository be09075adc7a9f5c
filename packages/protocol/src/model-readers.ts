import { type Context, checkReadable } from "./context.ts";
import { quote } from "./diagnostics.ts";
import { checkModelId, modelProviders } from "./model-id.ts";
import { isName } from "./names.ts";
import type { ModelSetting, VariableUse } from "./program.ts";
import { type Reader, reader, wrongType } from "./readers.ts";
import type { Shape } from "./shapes.ts";
import type { SyntaxNode } from "./syntax.ts";

const variable: Shape = { kind: "name", of: "variable", declared: true };

/** `provider/model-id`, or a variable that holds one. */
export const modelSetting: Reader<ModelSetting> = reader(
  { kind: "anyOf", shapes: [{ kind: "model" }, variable] },
  (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value !== "string") return wrongType(node, context, "provider/model-id or a variable");
    if (isName("variable", value))
      return checkReadable(value, node, context) ? { variable: value } : undefined;
    return checkModel(value, node, context) ? { id: value } : undefined;
  },
);

function checkModel(id: string, node: SyntaxNode, { report }: Context): boolean {
  const check = checkModelId(id);
  if (check.ok) return true;
  const { unknownProvider } = check;
  if (unknownProvider === undefined) {
    const message = `${quote(id)} is neither provider/model-id nor the name of a variable.`;
    report.add("INVALID_MODEL", node, message);
  } else {
    const known = { name: unknownProvider, among: modelProviders };
    const message = `${quote(unknownProvider)} is not a model provider; known are ${modelProviders.join(", ")}.`;
    report.add("INVALID_MODEL", node, message, known);
  }
  return false;
}

/** A value, or the name of a variable that holds it when the step starts. */
export function orVariable<T>(literal: Reader<T>): Reader<T | VariableUse> {
  return reader({ kind: "anyOf", shapes: [literal.shape, variable] }, (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    if (typeof name !== "string" || !isName("variable", name)) return literal.read(node, context);
    return checkReadable(name, node, context) ? { variable: name } : undefined;
  });
}
