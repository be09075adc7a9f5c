import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { JsonObject, ThreadConfig } from "@muster/protocol";
import type { DynamicTool } from "../boundary/frame.ts";
import { mainThread } from "../conversation/messages.ts";
import type { Look } from "../shown/display.ts";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";
import { findWorker, inputSchemaOf, isFound } from "../workers/library.ts";
import { nestingProblem } from "../workers/limits.ts";
import { platformToolOf, platformToolsOf } from "./platform-tools.ts";

/**
 * The tools that a thread's model may call: its own, its workers, the platform's, then the caller's unless a name is
 * taken. Workers that cannot be run are left out.
 */
export function offeredTools(
  turn: Turn,
  thread: string,
  config: ThreadConfig,
): LanguageModelV4FunctionTool[] {
  const names = new Set([...config.tools, ...config.workers]);
  const declared = config.tools.flatMap((name) => turn.program.tools[name] ?? []);
  const dynamic = dynamicTools(turn, thread).filter(({ name }) => !names.has(name));
  const workers = config.workers.flatMap((slug) => workerTool(turn, slug) ?? []);
  return [...declared, ...workers, ...platformToolsOf(config), ...dynamic].map(
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

/**
 * The caller's tools belong to the conversation, so in a session only the main thread has them: a named thread has
 * only the tools of its start-thread block. A worker has no main thread, so all of its threads have them.
 */
function dynamicTools({ program, frame }: Turn, thread: string): readonly DynamicTool[] {
  if (program.format === "interactive" && thread !== mainThread) return [];
  return frame.dynamicTools.filter(({ name }) => platformToolOf(name) === undefined);
}

export function isOffered(turn: Turn, thread: string, name: string): boolean {
  const config = configOf(turn, thread);
  if (config === undefined) return false;
  const platformTool = platformToolOf(name);
  if (platformTool !== undefined) return platformTool.isOffered(config);
  if (config.workers.includes(name)) return isFound(findWorker(turn, name));
  return config.tools.includes(name) || dynamicTools(turn, thread).some((tool) => tool.name === name);
}

/** The error of a call of a tool that is not offered. Models learn the names of workers and servers from prompts. */
export function whyMissing(turn: Turn, thread: string, name: string): string {
  const { workers = [], mcpServers = [] } = configOf(turn, thread) ?? {};
  const quoted = JSON.stringify(name);
  const worker = workers.includes(name) ? findWorker(turn, name) : undefined;
  if (worker !== undefined && !isFound(worker)) return nestingProblem(turn, name) ?? worker.problem;
  const isOfServer = mcpServers.some((namespace) => name.startsWith(`${namespace}__`));
  return isOfServer
    ? `The tool ${quoted} is of an MCP server, which is not available on this server yet.`
    : `The tool ${quoted} does not exist.`;
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
  // Their long descriptions are for the model: users see the names.
  if (isOfComputer(turn, name)) return { display: "stream" };
  const dynamic = turn.frame.dynamicTools.find((tool) => tool.name === name);
  return { display: "description", description: dynamic?.description };
}

/** A tool that the caller hides stays hidden if it replaces one of a worker. */
function lookOfReplacement({ origin }: Turn, name: string, look: Look): Look {
  if (origin === undefined) return look;
  const { parent, part } = origin;
  const replacement = parent.program.workers[part.toolName]?.tools[name];
  if (replacement === undefined || lookOf(parent, replacement).display !== "hidden") return look;
  return { ...look, display: "hidden" };
}

/** What a workforce agent does on its computer is shown live and on re-read, output included. */
function isOfComputer({ frame }: Turn, name: string): boolean {
  return frame.run !== undefined && (name.startsWith("shell__") || name.startsWith("files__"));
}

/** Schemas are passed on as data: they come from the compiler, or from the caller and the provider checks them. */
export function asSchema(schema: JsonObject): JSONSchema7 {
  return schema as JSONSchema7;
}
