import { isAsked, threadKeysNotRunYet } from "../availability.ts";
import { checkPlaceholders } from "../checks/placeholders.ts";
import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { ThreadConfig } from "../program.ts";
import { defaulted, type Fields, object, optional, required, type Values } from "../readers/fields.ts";
import { inputMapping } from "../readers/input-mapping.ts";
import { mediaModelId, modelSetting, orVariable } from "../readers/model-readers.ts";
import {
  mcpServerName,
  promptName,
  referenceName,
  skillName,
  toolName,
  workerName,
} from "../readers/name-readers.ts";
import { defined, listOf, made, type Reader, reader } from "../readers/readers.ts";
import { flag, integer, nonEmptyText, number, oneOf } from "../readers/value-readers.ts";
import { isNull, type MapNode, missingAt, placeOf, type SyntaxNode } from "../yaml/syntax.ts";
import { anthropicOptions } from "./anthropic-options.ts";
import { contextManagement } from "./context-management.ts";
import { onDemandMcpServers, onDemandSkills } from "./on-demand.ts";
import { reportNotAvailable } from "./report-not-available.ts";

const warmth = number(0, 2);
const temperature: Reader<number | "off"> = reader(
  { kind: "anyOf", shapes: [warmth.shape, { kind: "words", words: ["off"] }] },
  (node, context) => (node.kind === "scalar" && node.value === "off" ? "off" : warmth.read(node, context)),
);
const thinking = oneOf("off", "low", "medium", "high", "xhigh", "max", "auto");
const tokens = integer(1, 10_000_000);

/** The keys of `agent:`; `start-thread` has these and `thread`. */
export const threadFields = {
  model: required(modelSetting, "The model: provider/model-id, or a variable that contains one."),
  backupModel: optional(
    modelSetting,
    "The model for one retry of a step after a transient provider failure.",
  ),
  system: optional(promptName, "The prompt that tells the model who it is."),
  input: defaulted(inputMapping, [], "The variables that fill the placeholders of the system prompt."),
  tools: defaulted(listOf(toolName, "tool names"), [], "The declared tools that the model may call."),
  workers: defaulted(
    listOf(workerName, "worker slugs"),
    [],
    "The declared workers that the model may call like tools.",
  ),
  mcpServers: defaulted(
    listOf(mcpServerName, "namespaces"),
    [],
    "The declared MCP servers whose tools the model may call.",
  ),
  skills: defaulted(listOf(skillName, "skill slugs"), [], "The declared skills that the model may use."),
  references: defaulted(
    listOf(referenceName, "reference names"),
    [],
    "The references of the definition that the model may list and read.",
  ),
  agentic: defaulted(
    flag,
    false,
    "Whether the model continues after tool calls until it makes none or reaches maxSteps. Default: true if maxSteps is set above 1.",
  ),
  maxSteps: defaulted(orVariable(integer(1, 1_000), "integer"), 10, "The maximum number of steps per turn."),
  temperature: optional(
    orVariable(temperature, "number", "string"),
    "How varied responses are, from 0 to 2. off sends no temperature to the model.",
  ),
  thinking: optional(orVariable(thinking, "string"), "How much the model thinks before it responds."),
  cache: optional(oneOf("auto", "extended", "off"), "How long the provider keeps the prompt for reuse."),
  maxOutputTokens: optional(tokens, "The maximum number of tokens that one step may write."),
  maxToolOutputTokens: optional(
    tokens,
    "The limit in tokens above which a tool result is cut to its head, its tail and a note.",
  ),
  loopGuard: defaulted(flag, false, "Whether to cut a response that keeps repeating a short text."),
  webSearch: defaulted(flag, false, "Whether the model may search the web."),
  imageModel: optional(mediaModelId, "The image model, provider/model-id, that the model may use."),
  todoList: defaulted(flag, false, "Whether the model may keep a to-do list."),
  contextManagement: optional(
    contextManagement,
    "Summarises older turns when the conversation outgrows the model's context window.",
  ),
  speed: optional(
    orVariable(oneOf("fast", "standard"), "string"),
    "fast asks for the model's fast mode, which not every model has.",
  ),
  maxImageDimension: optional(
    integer(1, 100_000),
    "The width or height in pixels above which the model gets a smaller version of an image.",
  ),
  sandboxTimeout: optional(
    integer(1, 3_600_000),
    "How long a skill's script may run, in milliseconds. Default: 300,000.",
  ),
  speechModel: optional(mediaModelId, "The speech model, provider/model-id, that the model may use."),
  speechVoice: optional(nonEmptyText, "The voice of the speech model."),
  transcriptionModel: optional(
    mediaModelId,
    "The transcription model, provider/model-id, that the model may use.",
  ),
  videoModel: optional(mediaModelId, "The video model, provider/model-id, that the model may use."),
  onDemandMcpServers: defaulted(
    onDemandMcpServers,
    [],
    "The sources whose connected MCP servers the model may all use.",
  ),
  onDemandSkills: defaulted(
    onDemandSkills,
    false,
    "Whether the model may use all connected skills, or the kinds of computers whose skills it may use.",
  ),
  anthropic: optional(anthropicOptions, "Tools and skills that Anthropic runs, for its own models."),
} satisfies Fields;

const form = object(threadFields);

/** Reads `agent:`. */
export const agentConfig: Reader<ThreadConfig> = made(form, (values, node, context) => {
  const settled = withLoop(values, node);
  checkThread(settled, node, context);
  return threadConfig(settled);
});

/** The keys of a start-thread block. */
type StartedValues = Omit<ThreadValues, "model"> & { readonly model: ThreadValues["model"] | undefined };

/** The configuration of a start-thread block. Undefined if the model has been reported, here or at the agent. */
export function startedConfig(
  { model = undefined, ...values }: StartedValues,
  node: MapNode,
  context: Context,
): ThreadConfig | undefined {
  const used = model ?? context.agentModel;
  if (used === undefined && context.format === "worker") {
    const text = '"model" is required here: a worker has no agent whose model its threads could have.';
    context.report.add("MISSING_FIELD", missingAt(node, "model"), text);
  }
  if (used === undefined) return undefined;
  const settled = withLoop({ ...values, model: used }, node);
  checkThread(settled, node, context);
  return threadConfig(settled);
}

/** Writing `maxSteps` asks for the loop, unless `agentic` says otherwise. */
function withLoop<T extends Pick<ThreadValues, "agentic" | "maxSteps">>(values: T, node: SyntaxNode): T {
  const isGiven = (key: string) =>
    node.kind === "map" && !isNull(placeOf(node, key)) && node.entries.has(key);
  const asksForLoop = isGiven("maxSteps") && values.maxSteps !== 1 && !isGiven("agentic");
  return asksForLoop ? { ...values, agentic: true } : values;
}

type ThreadValues = Values<typeof threadFields>;

function threadConfig({ input, system, sandboxTimeout, ...values }: ThreadValues): ThreadConfig {
  const { tools, workers, mcpServers, skills, references, onDemandMcpServers: onDemand } = values;
  return defined({
    ...values,
    sandboxTimeoutMs: sandboxTimeout,
    onDemandMcpServers: unique(onDemand),
    system: system && { ...system, input },
    tools: unique(tools),
    workers: unique(workers),
    mcpServers: unique(mcpServers),
    skills: unique(skills),
    references: unique(references),
  });
}

function unique<T extends string>(names: readonly T[]): readonly T[] {
  return [...new Set(names)];
}

/** Checks the keys of a thread against each other. */
function checkThread(values: ThreadValues, node: SyntaxNode, context: Context): void {
  checkSameNames(values, node, context);
  checkPlaceholders({ prompt: values.system, input: values.input }, node, "system", context);
  checkSteps(values, node, context);
  checkProvider(values, node, context);
  for (const [key, what] of Object.entries(threadKeysNotRunYet)) {
    const value: unknown = Reflect.get(values, key);
    if (isAsked(value)) reportNotAvailable(what, "The model works without it.", placeOf(node, key), context);
  }
}

/** A model in a variable may belong to the provider. */
function checkProvider({ anthropic, model }: ThreadValues, node: SyntaxNode, { report }: Context): void {
  if (anthropic === undefined || !("id" in model) || model.id.startsWith("anthropic/")) return;
  const text = `These options are for models of anthropic, and the model is ${quote(model.id)}.`;
  report.add("PROVIDER_MISMATCH", placeOf(node, "anthropic"), text);
}

/** A model calls tools and workers by name, so no two may share one. */
function checkSameNames({ tools, workers }: ThreadValues, node: SyntaxNode, { report }: Context): void {
  for (const [index, worker] of workers.entries()) {
    if (!tools.includes(worker)) continue;
    const list = placeOf(node, "workers");
    const place = (list.kind === "list" ? list.items[index] : undefined) ?? list;
    const text = `A tool and a worker are both named ${quote(worker)}, so the model cannot tell them apart.`;
    report.add("DUPLICATE_KEY", place, text);
  }
}

const callable = [
  "tools",
  "workers",
  "mcpServers",
  "skills",
  "references",
  "webSearch",
  "todoList",
  "onDemandMcpServers",
  "onDemandSkills",
] as const;

/** Points out where leaving out `agentic` or `maxSteps` may be a mistake. */
function checkSteps(values: ThreadValues, node: SyntaxNode, { report }: Context): void {
  const given = (key: string) => node.kind === "map" && node.entries.has(key);
  const called = callable.find((key) => isAsked(values[key]));
  if (called !== undefined && !values.agentic && !given("agentic")) {
    const text = `The model may use ${called}, but without "agentic: true" the turn ends before it can use the results.`;
    report.add("SUGGEST_AGENTIC", placeOf(node, called), text);
  }
  if (values.agentic && !given("maxSteps")) {
    const text = "maxSteps is not set, so a turn has at most 10 steps.";
    report.add("IMPLICIT_DEFAULT", placeOf(node, "agentic"), text);
  }
}
