import {
  type Block,
  type CapabilitySpec,
  canonicalModelId,
  computerNamespaces,
  type JsonValue,
  mapInput,
  type NextMessageBlock,
  type Program,
  type PromptUse,
  renderTemplate,
  type Speed,
  type StartThreadBlock,
  type ThreadConfig,
  type VariableUse,
} from "@muster/language";
import type { RunSettings } from "../boundary/frame.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { mainThread } from "../conversation/messages.ts";
import type { Turn } from "./turn.ts";

/**
 * Reads a name: trigger input hides the session's values; a variable or resource that was never written has its
 * default. Undefined means no value, which prompts render as NONE.
 */
export function readVariable(turn: Turn, name: string): JsonValue | undefined {
  const { program, conversation } = turn;
  for (const values of [
    turn.frame.triggerInput,
    turn.sessionInput,
    conversation.variables,
    conversation.resources,
  ]) {
    if (Object.hasOwn(values, name)) return values[name];
  }
  for (const specs of [program.variables, program.resources, program.input]) {
    if (Object.hasOwn(specs, name)) return specs[name]?.default;
  }
  return undefined;
}

export function writeVariable(turn: Turn, name: string | undefined, value: JsonValue): void {
  if (name !== undefined) turn.conversation.variables[name] = value;
}

export function renderPrompt(turn: Turn, { template, input }: PromptUse): string {
  return renderTemplate(
    template,
    mapInput(input, (name) => readVariable(turn, name)),
  );
}

/**
 * The current configuration of a thread: from the start-thread block that last ran for it, or, on the main thread of
 * a session, from `agent`; there, the run's own settings come first. Without the tools, MCP servers and skills of disabled
 * capabilities. A computer needs no declaration: its namespaces are listed wherever the caller's tools are. Undefined if the thread was
 * never started.
 */
export function configOf(
  { program, conversation, frame: { run } }: Pick<Turn, "program" | "conversation" | "frame">,
  thread: string,
): ThreadConfig | undefined {
  const { threads = {} } = conversation;
  const startedBy = Object.hasOwn(threads, thread) ? threads[thread] : undefined;
  const isMain = program.format === "interactive" && thread === mainThread;
  const config = startThreadBlock(program, startedBy)?.config ?? (isMain ? program.agent : undefined);
  if (config === undefined) return undefined;
  const hasCallersTools = program.format === "worker" || isMain;
  const listed = hasCallersTools
    ? { ...config, mcpServers: [...config.mcpServers, ...computerNamespaces] }
    : config;
  const enabled = withoutDisabled(program, listed, run?.capabilities);
  return isMain && run !== undefined ? withSettings(enabled, run) : enabled;
}

/** For a call on the thread: how much users see of its outcome. The workforce interface shows everything. */
export function boundOn(
  turn: Pick<Turn, "program" | "conversation" | "frame" | "tree">,
  thread: string,
): Pick<ToolCallPart, "maxToolOutputTokens"> {
  const isWhole = turn.tree.root.frame.run !== undefined;
  const { maxToolOutputTokens } = (isWhole ? undefined : configOf(turn, thread)) ?? {};
  return maxToolOutputTokens === undefined ? {} : { maxToolOutputTokens };
}

function withSettings(config: ThreadConfig, { model, backupModel, thinking }: RunSettings): ThreadConfig {
  return {
    ...config,
    ...(model !== undefined && { model: { id: model } }),
    ...(backupModel !== undefined && { backupModel: { id: backupModel } }),
    ...(thinking !== undefined && { thinking }),
  };
}

function startThreadBlock(program: Program, id: string | undefined): StartThreadBlock | undefined {
  if (id === undefined) return undefined;
  const lists = program.format === "worker" ? [program.steps] : Object.values(program.handlers);
  return lists.flatMap((blocks) => blocks.filter(isStartThread)).find((block) => block.id === id);
}

function isStartThread(block: Block): block is StartThreadBlock {
  return block.kind === "start-thread";
}

/** A capability that the run does not set has its default. A name that no capability lists is always kept. */
function withoutDisabled(
  program: Program,
  config: ThreadConfig,
  set: Readonly<Record<string, boolean>> = {},
): ThreadConfig {
  const capabilities = Object.values(program.capabilities).map((capability) => ({
    ...capability,
    isOn: (Object.hasOwn(set, capability.slug) ? set[capability.slug] : undefined) ?? capability.default,
  }));
  if (capabilities.every(({ isOn }) => isOn)) return config;
  return {
    ...config,
    tools: enabled(capabilities, config.tools, "tools"),
    mcpServers: enabled(capabilities, config.mcpServers, "mcpServers"),
    skills: enabled(capabilities, config.skills, "skills"),
  };
}

/** A name in several capabilities is kept as long as one of them is on. */
function enabled(
  capabilities: ReadonlyArray<CapabilitySpec & { isOn: boolean }>,
  names: readonly string[],
  kind: "tools" | "mcpServers" | "skills",
): string[] {
  return names.filter((name) => {
    const listing = capabilities.filter((capability) => capability[kind].includes(name));
    return listing.length === 0 || listing.some(({ isOn }) => isOn);
  });
}

/** A thread's configuration with the values that its variables have at the start of a step. */
export interface StepSettings {
  /** The source of these settings, and of those that no variable can set. */
  config: ThreadConfig;
  modelId: string;
  backupModelId?: string;
  maxSteps: number;
  temperature?: number;
  thinking?: string;
  speed?: Speed;
}

export type SettingsResult = { ok: true; settings: StepSettings } | { ok: false; problem: string };

const defaultMaxSteps = 10;
const thinkingLevels = ["off", "low", "medium", "high", "xhigh", "max", "auto"] as const;

/** The rule for a value that comes from a variable, for the reader of the error. */
const rules = {
  model: "the id of a model, such as demo/echo",
  backupModel: "the id of a model, such as demo/echo",
  maxSteps: "a whole number from 1",
  temperature: "a number from 0 to 2, or off",
  thinking: `one of ${thinkingLevels.join(", ")}`,
  speed: "fast or standard",
} as const;

export function settingsOf(turn: Turn, block: NextMessageBlock): SettingsResult {
  const config = configOf(turn, block.thread);
  if (config === undefined) return { ok: false, problem: `The thread ${block.thread} has not been started.` };
  return readSettings(turn, config);
}

/** The same for the model of the step in flight, which may be the backup model. */
export function settingsInFlight(turn: Turn, block: NextMessageBlock): SettingsResult {
  const read = settingsOf(turn, block);
  if (!read.ok || turn.frame.open?.onBackup !== true) return read;
  const { backupModelId = read.settings.modelId } = read.settings;
  return { ok: true, settings: { ...read.settings, modelId: backupModelId } };
}

/** A setting whose variable has no value gets its default; only the model has no default. */
function readSettings(turn: Turn, config: ThreadConfig): SettingsResult {
  const problems: string[] = [];
  function read<T extends JsonValue>(
    name: keyof typeof rules,
    setting: T | VariableUse | undefined,
    isValid: (value: JsonValue) => value is T,
  ): T | undefined {
    const value = isUse(setting) ? readVariable(turn, setting.variable) : setting;
    if (value === undefined || value === null) return undefined;
    if (isValid(value)) return value;
    const source = isUse(setting) ? ` (variable ${setting.variable})` : "";
    problems.push(`The ${name}${source} must be ${rules[name]}.`);
    return undefined;
  }

  // An empty model is refused like every other id that names no model: before anything is stored.
  const model = read("model", modelSetting(config.model), isText);
  const modelId = model === undefined ? undefined : canonicalModelId(model);
  const backupModel = config.backupModel && read("backupModel", modelSetting(config.backupModel), isModelId);
  const backupModelId = backupModel && canonicalModelId(backupModel);
  const maxSteps = read("maxSteps", config.maxSteps, isStepCount) ?? defaultMaxSteps;
  const temperature = read("temperature", config.temperature, isTemperature);
  const thinking = read("thinking", config.thinking, isThinking);
  const speed = read("speed", config.speed, isSpeed);
  if (modelId === undefined && problems.length === 0)
    problems.push("The agent's model variable has no value.");
  if (modelId === undefined || problems.length > 0) return { ok: false, problem: problems.join(" ") };
  return {
    ok: true,
    settings: {
      config,
      modelId,
      maxSteps,
      ...(backupModelId !== undefined && { backupModelId }),
      ...(typeof temperature === "number" && { temperature }),
      ...(thinking !== undefined && { thinking }),
      ...(speed !== undefined && { speed }),
    },
  };
}

function modelSetting(setting: ThreadConfig["model"]): string | VariableUse {
  return "id" in setting ? setting.id : setting;
}

function isUse(setting: unknown): setting is VariableUse {
  return typeof setting === "object" && setting !== null && "variable" in setting;
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

function isModelId(value: JsonValue): value is string {
  return isText(value) && value !== "";
}

function isStepCount(value: JsonValue): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

function isTemperature(value: JsonValue): value is number | "off" {
  return value === "off" || (typeof value === "number" && value >= 0 && value <= 2);
}

function isThinking(value: JsonValue): value is NonNullable<Exclude<ThreadConfig["thinking"], VariableUse>> {
  return thinkingLevels.some((level) => level === value);
}

function isSpeed(value: JsonValue): value is Speed {
  return value === "fast" || value === "standard";
}
