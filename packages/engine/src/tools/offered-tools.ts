import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import {
  isComputerNamespace,
  type JsonObject,
  type McpServerSpec,
  type Program,
  type ProviderLook,
  type ThreadConfig,
} from "@muster/language";
import type { HostedTools } from "@muster/models";
import type { DynamicTool } from "../boundary/frame.ts";
import { mainThread } from "../conversation/messages.ts";
import type { Look } from "../shown/display.ts";
import { configOf } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";
import { findWorker, inputSchemaOf, isFound, nestingProblem } from "../workers/library.ts";
import { platformToolOf, platformToolsOf } from "./platform-tools.ts";
import { namespaceOf, remoteToolNamed, remoteToolsOf, serverOf, whyNotActive } from "./remote-servers.ts";

/**
 * The tools that a thread's model may call: its own, its workers, the platform's, then the caller's unless a name is
 * taken. Workers that cannot be run are left out.
 */
export function offeredTools(
  turn: Turn,
  thread: string,
  config: ThreadConfig,
): LanguageModelV4FunctionTool[] {
  const remote = remoteToolsOf(turn, config);
  const names = new Set([...config.tools, ...config.workers, ...remote.map(({ name }) => name)]);
  const declared = config.tools.flatMap((name) => turn.program.tools[name] ?? []);
  const dynamic = callerTools(turn, thread, config).filter(({ name }) => !names.has(name));
  const workers = config.workers.flatMap((slug) => workerTool(turn, slug) ?? []);
  const platform = platformToolsOf(turn, config);
  return [...declared, ...workers, ...platform, ...remote, ...dynamic].map(
    ({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      inputSchema: asSchema(inputSchema),
    }),
  );
}

function workerTool(turn: Turn, slug: string) {
  const spec = turn.program.workers[slug];
  const found = findWorker(turn, slug);
  if (spec === undefined || !isFound(found)) return undefined;
  return { name: slug, description: spec.description, inputSchema: inputSchemaOf(found.program) };
}

/** Whether the thread's model calls a worker by this name. */
export function isWorkerOf(turn: Turn, thread: string, name: string): boolean {
  return configOf(turn, thread)?.workers.includes(name) === true && isFound(findWorker(turn, name));
}

export function isOffered(turn: Turn, thread: string, name: string): boolean {
  const config = configOf(turn, thread);
  if (config === undefined) return false;
  const platformTool = platformToolOf(name);
  if (platformTool !== undefined) return platformTool.isOffered(config, turn);
  if (remoteToolsOf(turn, config).some((tool) => tool.name === name)) return true;
  if (config.workers.includes(name)) return isFound(findWorker(turn, name));
  return config.tools.includes(name) || callerTools(turn, thread, config).some((tool) => tool.name === name);
}

/** The error of a call of a tool that is not offered. Models learn the names of workers and servers from prompts. */
export function whyMissing(turn: Turn, thread: string, name: string): string {
  const config = configOf(turn, thread);
  const { workers = [], mcpServers = [] } = config ?? {};
  const quoted = JSON.stringify(name);
  const worker = workers.includes(name) ? findWorker(turn, name) : undefined;
  if (worker !== undefined && !isFound(worker)) return nestingProblem(turn, name) ?? worker.problem;
  const namespace = namespaceOf(name);
  const remote = config && namespace !== undefined ? whyNotActive(turn, config, namespace) : undefined;
  return (
    remote ?? whyNotConnected(turn.program, name, { mcpServers }) ?? `The tool ${quoted} does not exist.`
  );
}

/** Undefined: no tool, worker or tool of the caller has this name. */
export function inputSchemaOfTool(turn: Turn, name: string): JsonObject | undefined {
  const { tools } = turn.program;
  const declared = Object.hasOwn(tools, name) ? tools[name] : workerTool(turn, name);
  const other = remoteToolNamed(turn, name) ?? turn.frame.dynamicTools.find((tool) => tool.name === name);
  return (declared ?? other)?.inputSchema;
}

/** Also for undeclared names, because a model may call those too. */
export function lookOf(turn: Turn, name: string): Look {
  const { tools, workers } = turn.program;
  const declared = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (declared !== undefined) return lookOfReplacement(turn, name, declared);
  const worker = Object.hasOwn(workers, name) ? workers[name] : undefined;
  if (worker !== undefined) return worker;
  const platformTool = platformToolOf(name);
  if (platformTool !== undefined) return platformTool.look;
  return lookOfCallerTool(turn, name);
}

/** A tool that the caller hides stays hidden if it replaces one of a worker. */
function lookOfReplacement({ origin }: Turn, name: string, look: Look): Look {
  if (origin === undefined) return look;
  const { parent, part } = origin;
  const replacement = parent.program.workers[part.toolName]?.tools[name];
  if (replacement === undefined || lookOf(parent, replacement).display !== "hidden") return look;
  return { ...look, display: "hidden" };
}

/** Schemas are passed on as data: they come from the compiler, or from the caller and the provider checks them. */
export function asSchema(schema: JsonObject): JSONSchema7 {
  return schema as JSONSchema7;
}

/**
 * The tools of the trigger, as far as a thread's model may call them: those of MCP servers on the threads that list the
 * server, or the source of servers that no thread lists. The others belong to the conversation, so in a session only
 * the main thread has them: a named thread has only the tools of its start-thread block. A worker has no main thread,
 * so all of its threads have them.
 */
function callerTools({ program, frame }: Turn, thread: string, config: ThreadConfig): readonly DynamicTool[] {
  const isOfConversation = program.format === "worker" || thread === mainThread;
  return frame.dynamicTools.filter(({ name }) => {
    const namespace = namespaceOf(name);
    if (namespace === undefined) return isOfConversation && platformToolOf(name) === undefined;
    return isConnected(namespace, serverOf(program, namespace)?.source, config);
  });
}

/** No caller's tool is one of a remote server. One of an undeclared server may be of either of the caller's sources. */
function isConnected(
  namespace: string,
  source: McpServerSpec["source"] | undefined,
  { mcpServers, onDemandMcpServers }: ThreadConfig,
): boolean {
  if (mcpServers.includes(namespace)) return source !== "remote" || isComputerNamespace(namespace);
  return onDemandMcpServers.some((each) => each !== "remote" && (source ?? each) === each);
}

/** Also of a tool that no thread has, because a model may call it. */
function lookOfCallerTool(turn: Turn, name: string): Look {
  const { program, frame } = turn;
  const remote = remoteToolNamed(turn, name);
  const { description } = remote ?? frame.dynamicTools.find((tool) => tool.name === name) ?? {};
  const namespace = namespaceOf(name);
  if (namespace === undefined) return { display: "description", description };
  const { remote: onDemand, consumer, device } = program.onDemandMcpServers;
  const isOfComputer = isComputerNamespace(namespace);
  const ofCaller = remote === undefined ? (consumer ?? device) : onDemand;
  const undeclared = isOfComputer ? ({ display: "stream" } as const) : ofCaller;
  const { display = "description", title }: Partial<McpServerSpec> =
    serverOf(program, namespace) ?? undeclared ?? {};
  // The descriptions of the computer's tools are long, and for the model: users see the names.
  return { display, title, ...(!isOfComputer && { description }) };
}

/** The error of a call of a server's tool that the thread does not have; undefined if the thread lists no such server. */
function whyNotConnected(
  program: Program,
  name: string,
  { mcpServers }: Pick<ThreadConfig, "mcpServers">,
): string | undefined {
  const namespace = namespaceOf(name);
  const server = namespace === undefined ? undefined : serverOf(program, namespace);
  if (server === undefined || !mcpServers.includes(server.namespace)) return undefined;
  return `The tool ${JSON.stringify(name)} belongs to the MCP server ${JSON.stringify(server.namespace)}, which does not offer it in this turn.`;
}

type HostedName = HostedTools["tools"][number];

const namesOfTools: readonly HostedName[] = ["web-search", "code-execution"];

/** The tools and skills that the provider of the model runs for the thread. Undefined: none. */
export function hostedTools({ anthropic }: ThreadConfig, modelId: string): HostedTools | undefined {
  if (anthropic === undefined || !modelId.startsWith("anthropic/")) return undefined;
  const tools = namesOfTools.filter((name) => anthropic.tools[name] !== undefined);
  const skills = Object.entries(anthropic.skills).map(([id, { type, version }]) => ({
    ...{ type, id },
    ...(version !== undefined && { version }),
  }));
  return tools.length + skills.length > 0 ? { tools, skills } : undefined;
}

/**
 * The part of a call carried out by the provider that users see. The model reads and runs skills by executing code:
 * without a look of its own, code execution has that of the first skill. Undefined: the thread has no such tool.
 */
export function hostedLook({ anthropic }: ThreadConfig, name: string): ProviderLook | undefined {
  const tool = namesOfTools.find((known) => known === name);
  if (anthropic === undefined || tool === undefined) return undefined;
  const own = anthropic.tools[tool];
  return own ?? (tool === "code-execution" ? Object.values(anthropic.skills)[0] : undefined);
}
