import type {
  Conversation,
  Frame,
  RemoteCall,
  RemoteOutcome,
  RemoteServers,
  RemoteTarget,
  WorkerLibrary,
} from "@muster/engine";
import { isComputerNamespace, isJsonObject, type JsonValue, type Program } from "@muster/language";
import { turnIfSpent } from "@muster/large-data";
import type { McpClient, McpServer } from "@muster/mcp-client";
import { nameTools } from "@muster/mcp-client/names";
import type { LabelsOf, Metrics } from "@muster/metrics";
import type { FairQueue, Logger } from "@muster/service";
import { type KeepOptions, keepFiles } from "@muster/storage/files";
import type { ProjectServers, ProjectServices, ToolHosts } from "../../agents/project-settings.ts";
import type { Timings } from "../../config.ts";
import { keepText, keptText } from "../../store/state-text.ts";
import {
  type CallingTurn,
  type CallPlace,
  callHttpTool,
  type HttpToolServices,
  maxResultBytes,
} from "./call-http-tool.ts";

export interface RemoteServices extends HttpToolServices {
  mcp: McpClient;
  /** Calls of all turns take turns by project, and within it by session or thread. */
  remoteQueue: FairQueue;
  /** Undefined: nothing is measured. */
  metrics?: Metrics | undefined;
  /** Keeps the files in results. */
  fileDelivery: { sources: Pick<KeepOptions, "files" | "rules"> };
  log: Logger;
  timings: Pick<Timings, "listToolsMs">;
}

type CallLabels = LabelsOf<"muster_remote_call_duration_seconds">;

/** The turn that makes a call. */
export interface CallOrigin extends CallPlace {
  /** The session or the workforce agent that the files in results belong to. */
  fileOwnerId: string;
}

/** Makes the remote calls of one turn, and tells its machine which tools there are. */
export class RemoteCalls implements RemoteServers {
  readonly registered: readonly string[];
  readonly connected = new Map<string, NonNullable<ReturnType<RemoteServers["connected"]["get"]>>>();
  readonly #services: RemoteServices;
  readonly #servers: ProjectServers;
  readonly #toolHosts: ToolHosts;
  readonly #connecting = new Map<string, Promise<void>>();

  constructor(services: RemoteServices, { mcpServers, toolHosts }: ProjectServices) {
    this.#services = services;
    this.#servers = mcpServers;
    this.#toolHosts = toolHosts;
    this.registered = [...mcpServers.keys()];
  }

  /**
   * Lists the tools of the servers, all at once, and those of a server once. One that fails has a sentence instead. Never
   * rejects.
   */
  async connect(namespaces: Iterable<string>, signal?: AbortSignal): Promise<void> {
    for (const namespace of namespaces)
      if (!this.#connecting.has(namespace)) this.#connecting.set(namespace, this.#connect(namespace, signal));
    await Promise.all(this.#connecting.values());
  }

  async #connect(namespace: string, signal: AbortSignal | undefined): Promise<void> {
    const server = this.#servers.get(namespace);
    if (server === undefined || "problem" in server) {
      const problem = server?.problem ?? "The project has no MCP server of this name.";
      this.connected.set(namespace, { problem });
      return;
    }
    const { listToolsMs } = this.#services.timings;
    const deadline = AbortSignal.timeout(listToolsMs);
    try {
      const tools = await this.#services.mcp.list(
        server,
        signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      );
      const { byName, problems } = nameTools(tools.map((tool) => ({ ...tool, namespace })));
      if (problems.length > 0) this.#warn(server, problems.join(" "));
      this.connected.set(namespace, {
        tools: [...byName].map(([name, tool]) => ({
          ...{ name, description: tool.description, inputSchema: tool.inputSchema, remoteName: tool.name },
          isRepeatable: tool.isReadOnly || tool.isIdempotent,
        })),
      });
    } catch (error) {
      if (!deadline.aborted && !isProblem(error) && signal?.aborted !== true)
        this.#services.log.error(
          { err: error },
          "an MCP server could not be listed, for an unexpected reason",
        );
      const problem = deadline.aborted
        ? `It did not list its tools within ${listToolsMs / 1_000} s.`
        : problemOf(error);
      this.#warn(server, problem);
      this.connected.set(namespace, { problem });
    }
  }

  /** Not the cause of a problem, which the server has written. */
  #warn({ mcpServerId }: McpServer, problem: string): void {
    this.#services.log.warn({ mcpServerId, problem }, "an MCP server is not fully usable");
  }

  /** The outcome. Once the signal is aborted, nothing waits for it. Never rejects. */
  async call(
    call: RemoteCall,
    { place: { fileOwnerId, ...place }, keepOpen }: CallingTurn & { place: CallOrigin },
    signal: AbortSignal,
  ): Promise<RemoteOutcome> {
    const { target } = call;
    try {
      if (target.type === "mcp-server") return await this.#activate(target.namespace, signal);
      const turn = { place, ...(keepOpen && { keepOpen }) };
      const make = () =>
        this.#measured(target.type, signal, () =>
          target.type === "mcp"
            ? this.#callServer(call, target, { ...place, fileOwnerId }, signal)
            : callHttpTool(this.#services, this.#toolHosts, turn, { ...call, target }, signal),
        );
      const member = place.sessionId ?? place.threadId ?? "";
      return await this.#services.remoteQueue.run(place.projectId, make, { member, signal });
    } catch (error) {
      if (!signal.aborted) this.#services.log.error({ err: error }, "a remote call failed unexpectedly");
      return { type: "error", error: "The call failed unexpectedly. It may have taken effect." };
    }
  }

  async #measured(
    kind: CallLabels["kind"],
    signal: AbortSignal,
    make: () => Promise<RemoteOutcome>,
  ): Promise<RemoteOutcome> {
    const { clock, metrics } = this.#services;
    const startedMs = clock.monotonicMs();
    let outcome: CallLabels["outcome"] = "error";
    try {
      const made = await make();
      if (made.type !== "error") outcome = "ok";
      else if (made.isUnknown === true) outcome = "unknown";
      return made;
    } finally {
      const labels = { kind, outcome: signal.aborted ? "cancelled" : outcome } as const;
      const seconds = (clock.monotonicMs() - startedMs) / 1_000;
      metrics?.observe("muster_remote_call_duration_seconds", labels, seconds);
    }
  }

  async #callServer(
    { args, toolCallId }: RemoteCall,
    target: Extract<RemoteTarget, { type: "mcp" }>,
    { projectId, executionId, fileOwnerId: ownerId }: CallOrigin,
    signal: AbortSignal,
  ): Promise<RemoteOutcome> {
    const server = this.#servers.get(target.namespace);
    if (server === undefined || "problem" in server)
      return { type: "error", error: server?.problem ?? "The project no longer has this MCP server." };
    const given = isJsonObject(args) ? args : {};
    const { type, ...outcome } = await this.#services.mcp.call(server, target.tool, given, signal);
    if (!("result" in outcome)) return bounded({ type: "error", ...outcome, isUnknown: type === "unknown" });
    const { files: made, ...result } = outcome;
    const whole = await bounded({ type: "result", ...result });
    if (whole.type === "error" || made.length === 0) return whole;
    const { fileDelivery, log } = this.#services;
    const onFailure = (err: unknown) =>
      log.error({ err }, "a file in the result of a tool could not be stored");
    const origin = { owner: { projectId, ownerId }, origin: `${executionId} ${toolCallId}`, onFailure };
    const { files, problems } = await keepFiles({ ...fileDelivery.sources, ...origin }, made);
    return { ...whole, result: withSentences(whole.result, problems), files };
  }

  async #activate(namespace: string, signal: AbortSignal): Promise<RemoteOutcome> {
    await this.#connect(namespace, signal);
    const server = this.connected.get(namespace);
    if (server === undefined || !("tools" in server))
      return { type: "error", error: server?.problem ?? "It is not connected." };
    return { type: "result", result: { tools: server.tools.map(({ name }) => name) } };
  }
}

function withSentences(result: JsonValue, sentences: readonly string[]): JsonValue {
  if (sentences.length === 0) return result;
  return [...(Array.isArray(result) ? result : [result]), ...sentences];
}

type Ended = Exclude<RemoteOutcome, { type: "open" }>;

/** A server may send much more than a session can store. */
async function bounded(outcome: Ended): Promise<Ended> {
  await turnIfSpent();
  if (outcome.type === "error")
    return { ...outcome, error: outcome.error.slice(0, maxErrorLength).toWellFormed() };
  return sizeOfOutcome(outcome) <= maxResultBytes ? outcome : { type: "error", error: tooLarge };
}

const maxErrorLength = 32_768;
const tooLarge =
  "The call was carried out, but its result is larger than 1 MiB and was dropped. Ask for less, such as one page.";

/** In bytes, at least. */
export function sizeOfOutcome(outcome: RemoteOutcome): number {
  if (outcome.type === "open") return 0;
  if (outcome.type === "error") return Buffer.byteLength(outcome.error);
  const { result } = outcome;
  return Buffer.byteLength(typeof result === "string" ? result : textOf(result));
}

/** The session will store it. */
function textOf(value: JsonValue): string {
  const kept = keptText(value);
  if (kept !== undefined) return kept;
  const text = JSON.stringify(value);
  keepText(value, text);
  return text;
}

/** The class is in the package that only its first use loads. */
function isProblem(error: unknown): error is Error {
  return error instanceof Error && error.name === "McpProblem";
}

function problemOf(error: unknown): string {
  return isProblem(error) ? error.message : "The MCP server could not be used.";
}

/** The programs of a turn, and the servers that its models have activated. */
interface Reaching {
  program: Program;
  workers: WorkerLibrary;
  conversation?: Pick<Conversation, "activeMcpServers">;
  frame?: Pick<Frame, "workers">;
}

/** Whether a model of the program can use MCP servers of the project that the program does not name. */
export function usesServersOnDemand(program: Program): boolean {
  const configs = program.format === "interactive" ? [program.agent] : [];
  const blocks = program.format === "interactive" ? Object.values(program.handlers).flat() : program.steps;
  const started = blocks.flatMap((block) => (block.kind === "start-thread" ? block.config : []));
  return [...configs, ...started].some(({ onDemandMcpServers }) => onDemandMcpServers.includes("remote"));
}

function isRemote([namespace, { source }]: [string, { source: string }]): boolean {
  return source === "remote" && !isComputerNamespace(namespace);
}

/** The servers whose tools the turn's models have from the start. */
export function eagerServers({ program, workers, conversation, frame }: Reaching): Set<string> {
  const found = [...workers.values()].flatMap((worker) => ("program" in worker ? worker.program : []));
  const eager = [program, ...found].flatMap(({ mcpServers }) =>
    Object.entries(mcpServers)
      .filter((entry) => isRemote(entry) && entry[1].connection === "eager")
      .map(([namespace]) => namespace),
  );
  const active = frame?.workers?.flatMap(({ memory }) => memory.activeMcpServers ?? []) ?? [];
  return new Set([...eager, ...(conversation?.activeMcpServers ?? []), ...active]);
}
