import { defaulted, type Fields, notYet, object, optional, required, type Values } from "./fields.ts";
import { inputMapping } from "./input-mapping.ts";
import { modelSetting, orVariable } from "./model-readers.ts";
import { promptName, toolName } from "./name-readers.ts";
import type { ThreadConfig } from "./program.ts";
import { defined, listOf, made, type Reader, reader } from "./readers.ts";
import { flag, integer, number, oneOf } from "./value-readers.ts";

const warmth = number(0, 2);
const temperature: Reader<number | "off"> = reader(
  { kind: "anyOf", shapes: [warmth.shape, { kind: "words", words: ["off"] }] },
  (node, context) => (node.kind === "scalar" && node.value === "off" ? "off" : warmth.read(node, context)),
);
const tokens = integer(1, 10_000_000);

/** The keys of `agent:`; `start-thread` has the same and `thread`. */
export const threadFields = {
  model: required(modelSetting, "The model that answers: provider/model-id, or a variable that holds one."),
  backupModel: optional(
    modelSetting,
    "The model that a step is retried on once when the provider fails for a moment.",
  ),
  system: optional(promptName, "The prompt that tells the model who it is."),
  input: defaulted(inputMapping, [], "The variables that fill the placeholders of the system prompt."),
  tools: defaulted(listOf(toolName, "tool names"), [], "The declared tools that the model may call."),
  agentic: defaulted(
    flag,
    false,
    "Whether the model goes on after tool calls, until it makes none or maxSteps is reached.",
  ),
  maxSteps: defaulted(orVariable(integer(1, 1_000)), 10, "How many steps one turn may have at most."),
  temperature: optional(
    orVariable(temperature),
    "How varied the answers are, from 0 to 2. off sends none to the model.",
  ),
  thinking: optional(
    orVariable(oneOf("off", "low", "medium", "high", "xhigh", "max", "auto")),
    "How much the model thinks before it answers.",
  ),
  cache: optional(oneOf("auto", "extended", "off"), "How long the provider keeps the prompt for reuse."),
  maxOutputTokens: optional(tokens, "How many tokens one step may write at most."),
  maxToolOutputTokens: optional(
    tokens,
    "A larger tool result reaches the model as its head, its tail and a note.",
  ),
  loopGuard: notYet("The loop guard is"),
  workers: notYet("Workers as tools are"),
  mcpServers: notYet("MCP servers are"),
  skills: notYet("Skills are"),
  references: notYet("Tools that read references are"),
  webSearch: notYet("Web search is"),
  imageModel: notYet("Image generation is"),
  todoList: notYet("The todo list is"),
  contextManagement: notYet("Context management is"),
} satisfies Fields;

/** Reads `agent:`. */
export const agentConfig: Reader<ThreadConfig> = made(object(threadFields), threadConfig);

export function threadConfig(values: Values<typeof threadFields>): ThreadConfig {
  const { model, backupModel, agentic, maxSteps, cache, thinking, maxOutputTokens, maxToolOutputTokens } =
    values;
  const system = values.system && { ...values.system, input: values.input };
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
