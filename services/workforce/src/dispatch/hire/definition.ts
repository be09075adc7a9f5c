import type { CallOptions } from "@connectrpc/connect";
import {
  checkInput,
  type InteractiveProgram,
  type JsonValue,
  type MessageTrigger,
  type ModelSetting,
  messageTriggerName,
  messageTriggerOf,
  parseJsonObject,
  type VariableUse,
} from "@muster/language";
import { issueOf, sourceOf } from "@muster/language/messages";
import type { Agent } from "@muster/proto/agents";
import { firstProblems, invalidRequest, Reason, readRpcError, relayedFailure, rpcError } from "@muster/rpc";
import type { Services } from "../../context.ts";
import type { AgentDocument, DefinedFields, HiredDefinition } from "../../store/agent-document.ts";
import { type StoredRunConfig, thinkingLevels } from "../../store/run-config.ts";

/** The origin of the agent. */
export type DefinitionName = { agentId: string } | { prebuilt: string };

/** The fields of the agent that follow from its definition. */
export interface LoadedDefinition {
  fields: DefinedFields;
  /** Declared for a caller that executes them: a run has none, so their calls fail. */
  unexecutedTools: string[];
}

const away = "The agents service does not respond.";

/**
 * The latest version, for threads with this input. Throws INVALID_REQUEST if the agent does not exist or cannot be hired, and
 * INVALID_INPUT.
 */
export async function loadDefinition(
  { agents }: Pick<Services, "agents">,
  name: DefinitionName,
  input: Record<string, JsonValue>,
  options: () => CallOptions,
): Promise<LoadedDefinition> {
  const path = "agentId" in name ? "agentId" : "prebuilt";
  try {
    const hired =
      "agentId" in name ? { agentId: name.agentId } : await findPrebuilt(agents, name.prebuilt, options());
    return await loadVersion(agents, hired, path, input, options());
  } catch (error) {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    throw invalidRequest(path, "must be the id of an agent of this project; send a slug as agentSlug");
  }
}

/** Another version of an agent that was hired; `0` is the latest. Throws as {@link loadDefinition} does, about `version`. */
export async function loadOtherVersion(
  { agents }: Pick<Services, "agents">,
  { definition: { agentId, slug }, input }: Pick<AgentDocument, "definition" | "input">,
  version: number,
  options: () => CallOptions,
): Promise<LoadedDefinition> {
  const hired = { agentId, ...(version > 0 && { version }), ...(slug !== undefined && { slug }) };
  try {
    const values = parseJsonObject(input);
    return await loadVersion(agents, hired, "version", values.ok ? values.value : {}, options());
  } catch (error) {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    throw invalidRequest("version", "must be a version of the agent's definition, or latest");
  }
}

async function loadVersion(
  agents: Services["agents"],
  hired: Omit<HiredDefinition, "version"> & { version?: number },
  path: string,
  input: Record<string, JsonValue>,
  options: CallOptions,
): Promise<LoadedDefinition> {
  const { agentId, version } = hired;
  const request = { agentId, ...(version !== undefined && { version }) };
  const { agent, archived } = await agents.getDefinition(request, options).catch((error: unknown) => {
    throw relayedFailure(error, away);
  });
  if (agent === undefined) throw new Error("The agents service sent no agent");
  if (archived) throw rpcError(Reason.AGENT_ARCHIVED, "An archived agent cannot be hired.");
  const program = await compile(agent, path);
  const trigger = messageTrigger(program, path);
  const capabilities = Object.values(program.capabilities);
  return {
    fields: {
      definition: { ...hired, version: agent.version },
      trigger,
      declared: Object.fromEntries(capabilities.map(({ slug, default: isOn }) => [slug, isOn])),
      base: baseConfig(program, checkSessionInput(program, input)),
    },
    unexecutedTools: Object.values(program.tools).flatMap(({ name, http }) => (http ? [] : name)),
  };
}

async function findPrebuilt(agents: Services["agents"], slug: string, options: CallOptions) {
  const { agents: known } = await agents.listPrebuiltAgents({}, options);
  const found = known.find((agent) => agent.slug === slug);
  if (found !== undefined) return { agentId: found.agentId, version: found.version, slug };
  const slugs = known.map((agent) => agent.slug).join(", ");
  throw invalidRequest("prebuilt", `must be one of ${slugs}`);
}

async function compile({ definition }: Agent, path: string): Promise<InteractiveProgram> {
  // Only hiring needs it.
  const { compileDefinition } = await import("@muster/language/compile");
  if (definition === undefined) throw new Error("The agents service sent no definition");
  const compiled = compileDefinition(sourceOf(definition));
  if (!compiled.ok) {
    throw rpcError(Reason.INVALID_DEFINITION, "This agent's definition can no longer be run.", {
      issues: compiled.issues.map(issueOf),
    });
  }
  const { program } = compiled;
  if (program.format !== "interactive")
    throw invalidRequest(path, "must be an interactive agent, not a worker");
  return program;
}

/** A message becomes the one required text of the trigger. */
function messageTrigger(program: InteractiveProgram, path: string): MessageTrigger {
  const trigger = messageTriggerOf(program);
  if (trigger !== undefined) return trigger;
  throw invalidRequest(
    path,
    `must be an agent whose trigger ${messageTriggerName} has exactly one required text input`,
  );
}

/** The session input with its defaults. Throws INVALID_INPUT. */
function checkSessionInput(
  program: InteractiveProgram,
  input: Record<string, JsonValue>,
): Record<string, JsonValue> {
  const checked = checkInput(program.input, input);
  if (checked.ok) return checked.values;
  const issues = checked.issues.map(({ path, message }) => ({
    path: path === "" ? "input" : `input.${path}`,
    message,
  }));
  const problems = firstProblems(issues.map(({ message }) => message));
  throw rpcError(Reason.INVALID_INPUT, problems, { issues });
}

/** The settings of the main thread, where the session input decides them. */
function baseConfig({ agent }: InteractiveProgram, input: Record<string, JsonValue>): StoredRunConfig {
  const textOf = (setting: ModelSetting | VariableUse | string | undefined): string | undefined => {
    if (setting === undefined || typeof setting === "string") return setting;
    if ("id" in setting) return setting.id;
    const value = Object.hasOwn(input, setting.variable) ? input[setting.variable] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const model = textOf(agent.model);
  const backupModel = textOf(agent.backupModel);
  const thinking = thinkingLevels.find((level) => level === textOf(agent.thinking));
  return {
    ...(model !== undefined && { model }),
    ...(backupModel !== undefined && { backupModel }),
    ...(thinking !== undefined && { thinking }),
  };
}
