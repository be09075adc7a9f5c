import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Shape } from "../grammar/shapes.ts";
import { checkType, useVariable } from "../names/lookups.ts";
import { isName } from "../names/names.ts";
import type { ModelSetting, VariableUse } from "../program.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { checkModelId, modelProviders } from "./model-id.ts";
import { type Reader, reader, wrongType } from "./readers.ts";

const variable: Shape = { kind: "name", of: "variable", declared: true };

/** `provider/model-id`. */
export const modelId: Reader<string> = reader({ kind: "model" }, (node, context) => {
  const id = node.kind === "scalar" ? node.value : undefined;
  if (typeof id !== "string") return wrongType(node, context, "provider/model-id");
  return checkModel(id, "not of the form provider/model-id", node, context) ? id : undefined;
});

/** `provider/model-id`, or a variable that holds one. */
export const modelSetting: Reader<ModelSetting> = reader(
  { kind: "anyOf", shapes: [modelId.shape, variable] },
  (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value !== "string") return wrongType(node, context, "provider/model-id or a variable");
    if (isName("variable", value)) return variableUse(value, ["string"], node, context);
    const otherwise = "neither provider/model-id nor the name of a variable";
    return checkModel(value, otherwise, node, context) ? { id: value } : undefined;
  },
);

function checkModel(
  id: string,
  otherwise: string,
  node: SyntaxNode,
  { report, knowsModel }: Context,
): boolean {
  const check = checkModelId(id);
  if (check.ok) {
    if (knowsModel?.(id) === false)
      report.add(
        "UNKNOWN_MODEL",
        node,
        `The model catalog has no ${quote(id)}; the provider may still know it.`,
      );
    return true;
  }
  const { unknownProvider } = check;
  if (unknownProvider === undefined) {
    report.add("INVALID_MODEL", node, `${quote(id)} is ${otherwise}.`);
  } else {
    const known = { name: unknownProvider, among: modelProviders };
    const message = `${quote(unknownProvider)} is not a model provider; known are ${modelProviders.join(", ")}.`;
    report.add("INVALID_MODEL", node, message, known);
  }
  return false;
}

/** A value, or the name of a variable, of one of these types, that holds it when the step starts. */
export function orVariable<T>(literal: Reader<T>, ...types: string[]): Reader<T | VariableUse> {
  return reader({ kind: "anyOf", shapes: [literal.shape, variable] }, (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    return typeof name === "string" && isName("variable", name)
      ? variableUse(name, types, node, context)
      : literal.read(node, context);
  });
}

function variableUse(
  name: string,
  types: readonly string[],
  node: SyntaxNode,
  context: Context,
): VariableUse | undefined {
  const found = useVariable(name, node, context);
  return found && checkType(name, found, types, node, context) ? { variable: name } : undefined;
}
