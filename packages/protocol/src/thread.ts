import { type Context, checkReadable } from "./context.ts";
import { quote } from "./diagnostics.ts";
import { inputMapping } from "./input-mapping.ts";
import { checkModelId, modelProviders } from "./model-id.ts";
import { isName } from "./names.ts";
import type { ModelSetting, PromptUse, ThreadConfig, VariableUse } from "./program.ts";
import {
  defaulted,
  defined,
  listOf,
  notYet,
  object,
  optional,
  type Reader,
  required,
  type Values,
  wrongType,
} from "./readers.ts";
import type { SyntaxNode } from "./syntax.ts";
import type { Template } from "./template.ts";
import { flag, integer, number, oneOf } from "./value-readers.ts";

/** `provider/model-id`, or a variable that holds one. */
const modelSetting: Reader<ModelSetting> = (node, context) => {
  const value = node.kind === "scalar" ? node.value : undefined;
  if (typeof value !== "string") return wrongType(node, context, "provider/model-id or a variable");
  if (isName("variable", value)) return checkReadable(value, node, context) ? { variable: value } : undefined;
  const check = checkModelId(value);
  if (check.ok) return { id: value };
  const { unknownProvider } = check;
  if (unknownProvider === undefined) {
    const message = `${quote(value)} is neither provider/model-id nor the name of a variable.`;
    context.report.add("INVALID_MODEL", node, message);
  } else {
    const known = { name: unknownProvider, among: modelProviders };
    const message = `${quote(unknownProvider)} is not a model provider; known are ${modelProviders.join(", ")}.`;
    context.report.add("INVALID_MODEL", node, message, known);
  }
  return undefined;
};

function orVariable<T>(read: Reader<T>): Reader<T | VariableUse> {
  return (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    if (typeof name !== "string" || !isName("variable", name)) return read(node, context);
    return checkReadable(name, node, context) ? { variable: name } : undefined;
  };
}

const temperature: Reader<number | "off"> = (node, context) =>
  node.kind === "scalar" && node.value === "off" ? "off" : number(0, 2)(node, context);

/** A prompt by its name. */
export const promptName: Reader<{ name: string; template: Template }> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a prompt");
  if (!context.prompts.has(name)) {
    const known = { name, among: context.prompts.keys() };
    context.report.add("UNKNOWN_PROMPT", node, `There is no prompt ${quote(name)}.`, known);
    return undefined;
  }
  const template = context.prompts.get(name);
  return template && { name, template };
};

/** A declared tool by its name. */
export const toolName: Reader<string> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a tool");
  if (context.tools.has(name)) return name;
  const known = { name, among: context.tools };
  context.report.add("UNKNOWN_TOOL", node, `There is no tool ${quote(name)}.`, known);
  return undefined;
};

/** The keys of `agent:`; `start-thread` has the same and `thread`. */
export const threadFields = {
  model: required(modelSetting),
  backupModel: optional(modelSetting),
  system: optional(promptName),
  input: defaulted(inputMapping, []),
  tools: defaulted(listOf(toolName, "tool names"), []),
  agentic: defaulted(flag, false),
  maxSteps: defaulted(orVariable(integer(1, 1_000)), 10),
  temperature: optional(orVariable(temperature)),
  thinking: optional(orVariable(oneOf("off", "low", "medium", "high", "xhigh", "max", "auto"))),
  cache: optional(oneOf("auto", "extended", "off")),
  maxOutputTokens: optional(integer(1, 10_000_000)),
  maxToolOutputTokens: optional(integer(1, 10_000_000)),
  loopGuard: notYet("The loop guard is"),
  workers: notYet("Workers as tools are"),
  mcpServers: notYet("MCP servers are"),
  skills: notYet("Skills are"),
  references: notYet("Tools that read references are"),
  webSearch: notYet("Web search is"),
  imageModel: notYet("Image generation is"),
  todoList: notYet("The todo list is"),
  contextManagement: notYet("Context management is"),
};

/** Reads `agent:`. */
export const agentConfig: Reader<ThreadConfig> = (node: SyntaxNode, context: Context) => {
  const values = object(threadFields)(node, context);
  return values && threadConfig(values);
};

export function threadConfig(values: Values<typeof threadFields>): ThreadConfig {
  const { model, backupModel, agentic, maxSteps, cache, thinking, maxOutputTokens, maxToolOutputTokens } =
    values;
  const system = values.system && promptUse(values.system, values.input);
  const limits = { maxSteps, maxOutputTokens, maxToolOutputTokens };
  const tools = [...new Set(values.tools)];
  return defined({
    ...{ model, backupModel, system, tools, agentic, cache, thinking },
    temperature: values.temperature,
    ...limits,
    ...{ workers: [], mcpServers: [], skills: [], references: [] },
    ...{ loopGuard: false, webSearch: false, todoList: false },
  });
}

export function promptUse(
  prompt: { name: string; template: Template },
  input: PromptUse["input"],
): PromptUse {
  return { ...prompt, input };
}
