import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Shape } from "../grammar/shapes.ts";
import type { Variable } from "../names/declared-names.ts";
import { isName } from "../names/names.ts";
import type { ModelSetting, VariableUse } from "../program.ts";
import { placeOf, type SyntaxNode, scalarAt } from "../yaml/syntax.ts";
import { checkType, useVariable } from "./lookups.ts";
import { canonicalModelId, checkModelId, modelProviders, otherProviderName } from "./model-id.ts";
import { type Reader, reader, wrongType } from "./readers.ts";

const variable: Shape = { kind: "name", of: "variable", declared: true };

/** `provider/model-id` of a language model. */
const modelId: Reader<string> = reader({ kind: "model" }, (node, context) => {
  const id = node.kind === "scalar" ? node.value : undefined;
  if (typeof id !== "string") return wrongType(node, context, expectedId);
  return checkModel(id, notAnId, node, context) ? canonicalModelId(id) : undefined;
});

const expectedId = "provider/model-id";
const notAnId = "not a model id; write provider/model-id";

/**
 * `provider/model-id` of a model that makes images, speech, text of audio, or videos. The catalog lists only language
 * models, and such models also have other providers.
 */
export const mediaModelId: Reader<string> = reader({ kind: "model" }, (node, context) => {
  const id = node.kind === "scalar" ? node.value : undefined;
  if (typeof id !== "string") return wrongType(node, context, expectedId);
  const check = checkModelId(id);
  if (!check.ok && check.unknownProvider === undefined) {
    context.report.add("INVALID_MODEL", node, `${quote(id)} is ${notAnId}.`);
    return undefined;
  }
  if (!check.ok) reportUnknownProvider(id, check.unknownProvider, node, context);
  return canonicalModelId(id);
});

function reportUnknownProvider(
  id: string,
  provider: string | undefined,
  node: SyntaxNode,
  { report }: Context,
): void {
  const text = `${quote(id)} belongs to a provider that this server does not know.`;
  report.add("UNKNOWN_MODEL", node, text, { name: provider ?? id, among: modelProviders });
}

/** `provider/model-id`, or a variable that contains one. */
export const modelSetting: Reader<ModelSetting> = reader(
  { kind: "anyOf", shapes: [modelId.shape, variable] },
  (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value !== "string") return wrongType(node, context, "provider/model-id or a variable");
    if (isName("variable", value)) return variableUse(value, ["string"], modelId, node, context);
    const otherwise = "neither a model id (provider/model-id) nor the name of a variable";
    return checkModel(value, otherwise, node, context) ? { id: canonicalModelId(value) } : undefined;
  },
);

function checkModel(id: string, otherwise: string, node: SyntaxNode, context: Context): boolean {
  const { report, models } = context;
  const check = checkModelId(id);
  if (check.ok) {
    if (models?.knows(canonicalModelId(id)) === false) reportUnknownModel(id, node, context);
    return true;
  }
  const { unknownProvider } = check;
  if (unknownProvider === undefined) {
    const meant = new Set(modelProviders.map((provider) => `${provider}/${id}`));
    const known = [...(models?.ids ?? [])].filter((each) => meant.has(each)).slice(0, 3);
    report.add("INVALID_MODEL", node, `${quote(id)} is ${otherwise}.`, known);
  } else {
    const known = otherProviderName(unknownProvider) ?? { name: unknownProvider, among: modelProviders };
    const message = `Unknown model provider ${quote(unknownProvider)}. Known providers: ${modelProviders.join(", ")}.`;
    report.add("INVALID_MODEL", node, message, known);
  }
  return false;
}

function reportUnknownModel(id: string, node: SyntaxNode, { report, models }: Context): void {
  const provider = id.slice(0, id.indexOf("/") + 1);
  // Compares without the shared provider, because long names are skipped.
  const near = report.closest(id.slice(provider.length), namesAfter(provider, id.length, models?.ids ?? []));
  const text = `${quote(id)} is not in the model catalog; the provider may still support it.`;
  report.add(
    "UNKNOWN_MODEL",
    node,
    text,
    near.map((name) => `${provider}${name}`),
  );
}

/** Only ids of about that length, so that the many others do not count as compared. */
function* namesAfter(provider: string, length: number, ids: Iterable<string>): Generator<string> {
  for (const id of ids)
    if (id.startsWith(provider) && Math.abs(id.length - length) < 6) yield id.slice(provider.length);
}

/** A value, or the name of a variable of one of these types that is read when the step starts. */
export function orVariable<T>(literal: Reader<T>, ...types: string[]): Reader<T | VariableUse> {
  return reader({ kind: "anyOf", shapes: [literal.shape, variable] }, (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    return typeof name === "string" && isName("variable", name)
      ? variableUse(name, types, literal, node, context)
      : literal.read(node, context);
  });
}

function variableUse(
  name: string,
  types: readonly string[],
  literal: Reader<unknown>,
  node: SyntaxNode,
  context: Context,
): VariableUse | undefined {
  const found = useVariable(name, node, context);
  if (found === undefined || !checkType(name, found, types, node, context)) return undefined;
  checkDeclaredValues(found, literal, node, context);
  return { variable: name };
}

/** Also checks the declaration's default and enum for this use, once per declaration. */
function checkDeclaredValues(
  { declaration }: Variable,
  literal: Reader<unknown>,
  { path }: SyntaxNode,
  context: Context,
): void {
  if (context.checkedValues.has(declaration)) return;
  context.checkedValues.add(declaration);
  const report = context.report.noting(`The variable is used as ${path}.`);
  const listed = placeOf(declaration, "enum");
  const values = [placeOf(declaration, "default"), ...(listed.kind === "list" ? listed.items : [])];
  const wanted = scalarAt(declaration, "type") === "string" ? "string" : "number";
  for (const value of values) {
    // A default of another type has been reported.
    if (value.kind === "scalar" && typeof value.value === wanted) literal.read(value, { ...context, report });
  }
}
