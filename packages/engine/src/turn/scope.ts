import {
  type Block,
  type CapabilitySpec,
  computerNamespaces,
  type JsonValue,
  mapInput,
  type Program,
  type PromptUse,
  renderTemplate,
  type StartThreadBlock,
  type ThreadConfig,
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
