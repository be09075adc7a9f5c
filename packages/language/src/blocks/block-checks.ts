import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import { findVariable } from "../names/scope.ts";
import type { NextMessageBlock, SerializeThreadBlock } from "../program.ts";
import { checkType, typeOf } from "../readers/lookups.ts";
import { mayFit } from "../types/may-fit.ts";
import { type MapNode, missingAt, placeOf, scalarAt } from "../yaml/syntax.ts";

/** The response must fit the variable that receives it. */
export function checkAnswer(
  { output, responseType }: { output?: string | undefined; responseType?: NextMessageBlock["responseType"] },
  node: MapNode,
  context: Context,
): void {
  if (output !== undefined) checkOutput(output, responseType?.name ?? "string", node, context);
}

/** The serialised thread must fit the variable that receives it. */
export function checkSerialized(
  { output, format }: Pick<SerializeThreadBlock, "output" | "format">,
  node: MapNode,
  context: Context,
): void {
  checkOutput(output, format === "json" ? "unknown[]" : "string", node, context);
}

function checkOutput(name: string, type: string, node: MapNode, context: Context): void {
  const variable = context.names.session.get(name);
  if (variable !== undefined) checkType(name, variable, [type], placeOf(node, "output"), context);
}

/** The value must fit the resource. */
export function checkStored(
  { resource, value }: { resource: string; value: string },
  node: MapNode,
  context: Context,
): void {
  const [from, to] = [findVariable(value, context.scope), context.names.session.get(resource)];
  const [fromType, toType] = [from && typeOf(from, context), to && typeOf(to, context)];
  if (from === undefined || to === undefined || fromType === undefined || toType === undefined) return;
  if (mayFit(fromType, toType, context.types)) return;
  const [has, wants] = [scalarAt(from.declaration, "type"), scalarAt(to.declaration, "type")];
  const text = `${quote(value)} has type ${has}, but the resource ${quote(resource)} has type ${wants}.`;
  context.report.add("WRONG_TYPE", placeOf(node, "value"), text);
}

type MediaModelKey = "imageModel" | "speechModel" | "transcriptionModel";

/** A check that the block has such a model, or the configuration of its thread. */
export function checkMediaModel<K extends MediaModelKey>(key: K) {
  return (
    values: { readonly [name in K]?: string | undefined },
    node: MapNode,
    { report, names }: Context,
  ): void => {
    const thread = scalarAt(node, "thread") ?? "main";
    const { configs = [] } = names.threads.get(String(thread)) ?? {};
    if (values[key] !== undefined || configs.some(({ entries }) => entries.has(key))) return;
    const text = `${quote(key)} is required here or in the configuration of the thread.`;
    report.add("MISSING_FIELD", missingAt(node, key), text);
  };
}
