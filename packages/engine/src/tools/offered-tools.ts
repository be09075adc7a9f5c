import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { JsonObject, ThreadConfig } from "@muster/language";
import type { Look } from "../shown/display.ts";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";
import { findWorker, inputSchemaOf, isFound } from "../workers/library.ts";
import { nestingProblem } from "../workers/limits.ts";
import { callerTools, lookOfCallerTool, whyNotConnected } from "./caller-tools.ts";
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
  const dynamic = callerTools(turn, thread, config).filter(({ name }) => !names.has(name));
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

export function isOffered(turn: Turn, thread: string, name: string): boolean {
  const config = configOf(turn, thread);
  if (config === undefined) return false;
  const platformTool = platformToolOf(name);
  if (platformTool !== undefined) return platformTool.isOffered(config);
  if (config.workers.includes(name)) return isFound(findWorker(turn, name));
  return config.tools.includes(name) || callerTools(turn, thread, config).some((tool) => tool.name === name);
}

/** The error of a call of a tool that is not offered. Models learn the names of workers and servers from prompts. */
export function whyMissing(turn: Turn, thread: string, name: string): string {
  const { workers = [], mcpServers = [] } = configOf(turn, thread) ?? {};
  const quoted = JSON.stringify(name);
  const worker = workers.includes(name) ? findWorker(turn, name) : undefined;
  if (worker !== undefined && !isFound(worker)) return nestingProblem(turn, name) ?? worker.problem;
  return whyNotConnected(turn.program, name, { mcpServers }) ?? `The tool ${quoted} does not exist.`;
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
