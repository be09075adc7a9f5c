import {
  type AuthProvider,
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  isInputRequiredResult,
  type PriorDiscovery,
  ProtocolError,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { createGuardedFetch, type GuardedFetch, type GuardOptions } from "@muster/guarded-fetch";
import type { JsonObject } from "@muster/language/json";
import { turnIfSpent } from "@muster/large-data";
import { type Clock, systemClock } from "@muster/service";
import { Authorization } from "./authorization.ts";
import { createConnection, neverMs } from "./connection.ts";
import { Exchange } from "./exchange.ts";
import { KnownServers, tokenKeyOf } from "./known-servers.ts";
import { type Listing, listTools } from "./list-tools.ts";
import { McpProblem, problemOf } from "./mcp-problem.ts";
import type {
  McpClient,
  McpFile,
  McpOutcome,
  McpReport,
  McpServer,
  McpStage,
  McpTool,
} from "./mcp-server.ts";
import { MemoryTokenStore, type TokenStore } from "./memory-token-store.ts";
import { readResult } from "./read-result.ts";

/** All tools of a server together; models read no more. */
const maxListBytes = 2 * 1024 * 1024;
const maxCallBytes = 10 * 1024 * 1024;

export interface McpClientOptions {
  /** The version of this program, sent to servers. */
  version: string;
  /** `privateHosts`: those that the operator lists. Default: public addresses only. */
  guard?: GuardOptions;
  /** Shares the tokens of client credentials. Default: in this process. */
  tokens?: TokenStore;
  clock?: Clock;
}

export function createMcpClient(options: McpClientOptions): McpClient {
  return new RemoteMcpClient(options);
}

interface Use<T> {
  maxBytes: number;
  /** Whether it may be done twice. Negotiating may in any case. */
  isRepeatable: boolean;
  work: (client: Client, exchange: Exchange) => Promise<T>;
}

class RemoteMcpClient implements McpClient {
  readonly #version: string;
  readonly #clock: Clock;
  readonly #fetch: GuardedFetch;
  readonly #known: KnownServers;
  readonly #tokens: TokenStore;

  constructor({
    version,
    guard = {},
    tokens = new MemoryTokenStore(),
    clock = systemClock,
  }: McpClientOptions) {
    this.#version = version;
    this.#clock = clock;
    this.#fetch = createGuardedFetch(guard);
    this.#known = new KnownServers(clock);
    this.#tokens = tokens;
  }

  async list(server: McpServer, signal: AbortSignal): Promise<McpTool[]> {
    return this.#known.toolsOf(server) ?? (await this.#list(server, signal)).tools;
  }

  async call(server: McpServer, name: string, args: JsonObject, signal: AbortSignal): Promise<McpOutcome> {
    let exchange: Exchange | undefined;
    const tool = this.#known.toolsOf(server, true)?.find((known) => known.name === name);
    // Some arguments are sent as headers, too, which its schema says.
    const toolDefinition = { name, inputSchema: { ...tool?.inputSchema, type: "object" as const } };
    const work = async (client: Client, opened: Exchange) => {
      exchange = opened;
      const options = { signal: opened.signal, timeout: neverMs, allowInputRequired: true };
      const call = { name, arguments: args };
      const result = await client.callTool(call, { ...options, ...(tool && { toolDefinition }) });
      await turnIfSpent();
      return outcomeOf(isInputRequiredResult(result) ? result : opened.shelf.putInto(result));
    };
    try {
      return await this.#use(server, signal, { maxBytes: maxCallBytes, isRepeatable: false, work });
    } catch (error) {
      const message = error instanceof McpProblem ? error.message : "The call was cancelled.";
      const isAnswer = error instanceof McpProblem && error.cause instanceof ProtocolError;
      if (isAnswer || exchange?.mayHaveEffect !== true) return { type: "error", error: message };
      return { type: "unknown", error: message.replace(/\.$/, ", so the call may have had an effect.") };
    }
  }

  async test(server: McpServer, signal: AbortSignal): Promise<McpReport> {
    const startedMs = this.#clock.monotonicMs();
    const latencyMs = () => Math.round(this.#clock.monotonicMs() - startedMs);
    this.#known.forget(server);
    try {
      const { client, tools, problems } = await this.#list(server, signal);
      const { name, version } = client.getServerVersion() ?? {};
      return {
        isUsable: true,
        era: client.getProtocolEra() ?? "legacy",
        protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
        ...(name !== undefined && version !== undefined && { server: { name, version } }),
        tools: tools.map(({ name, description }) => ({ name, description })),
        problems,
        latencyMs: latencyMs(),
      };
    } catch (error) {
      if (!(error instanceof McpProblem)) throw error;
      return { isUsable: false, stage: error.stage, problem: error.message, latencyMs: latencyMs() };
    }
  }

  #list(server: McpServer, signal: AbortSignal): Promise<Listing & { client: Client }> {
    const work = async (client: Client, exchange: Exchange) => {
      const listing = await listTools(client, server, { signal: exchange.signal, timeout: neverMs });
      this.#known.keepTools(server, listing.tools, listing.freshMs);
      return { ...listing, client };
    };
    return this.#use(server, signal, { maxBytes: maxListBytes, isRepeatable: true, work });
  }

  /** Connects and does the work. Rejects with McpProblem, or with the reason of the signal. */
  async #use<T>(server: McpServer, signal: AbortSignal, use: Use<T>): Promise<T> {
    signal.throwIfAborted();
    const { maxBytes, isRepeatable, work } = use;
    const exchange = new Exchange({ server, fetch: this.#fetch, clock: this.#clock, maxBytes, signal });
    const settings = { version: this.#version, authProvider: this.#authProvider(server, exchange) };
    const { client, transport } = createConnection(server, exchange, settings);
    const verdict = this.#known.verdictOf(server);
    let stage: McpStage = "negotiation";
    const connectAndWork = async () => {
      await client.connect(transport, {
        timeout: neverMs,
        signal: exchange.signal,
        ...(verdict && { prior: verdict }),
      });
      if (verdict === undefined) this.#known.keepVerdict(server, verdictOf(client));
      stage = "listing";
      return await work(client, exchange);
    };
    try {
      return await exchange.run(connectAndWork());
    } catch (error) {
      signal.throwIfAborted();
      const mayRepeat = isRepeatable || stage === "negotiation";
      const isOutdated =
        verdict !== undefined && exchange.problem === undefined && isRefusal(error, mayRepeat);
      if (isOutdated) this.#known.forget(server);
      if (!isOutdated || !mayRepeat) throw problemOf(error, { server, exchange, stage });
    } finally {
      void exchange.end(() => transport.finish());
    }
    return await this.#use(server, signal, use);
  }

  #authProvider(server: McpServer, exchange: Exchange): AuthProvider | undefined {
    const { auth } = server;
    switch (auth.type) {
      case "none":
      case "header":
        return undefined;
      case "bearer":
        return { token: async () => auth.token.reveal() };
      case "client-credentials":
      case "private-key-jwt": {
        const [tokens, clock] = [this.#tokens, this.#clock];
        return new Authorization({ server, auth, key: tokenKeyOf(server), exchange, tokens, clock });
      }
    }
  }
}

function verdictOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult();
  return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
}

/**
 * Whether the server answered as one that was replaced by one of the other era. No credentials and no outage are such an answer, nor
 * is the error of a tool.
 */
function isRefusal(error: unknown, isNoCall: boolean): boolean {
  if (!(error instanceof SdkHttpError)) return isNoCall && error instanceof ProtocolError;
  const { status } = error.data;
  return status < 500 && status !== 401 && status !== 403;
}

function outcomeOf(result: CallToolResult | InputRequiredResult): McpOutcome {
  if (isInputRequiredResult(result)) return { type: "error", error: asked(result) };
  const files: McpFile[] = [];
  const read = readResult(result, (file) => {
    files.push(file);
    return { file: file.name };
  });
  return "error" in read ? { type: "error", ...read } : { type: "result", ...read, files };
}

function asked({ inputRequests = {} }: InputRequiredResult): string {
  const wanted = Object.values(inputRequests).map(({ method, params }) => {
    const message = params !== undefined && "message" in params ? `: ${String(params.message)}` : "";
    return `${method}${message}`.slice(0, maxQuestionLength);
  });
  const text = wanted.slice(0, maxQuestions).join("; ") || "it does not say what";
  return `The tool asks for input that an agent cannot give (${text}).`;
}

const maxQuestions = 5;
const maxQuestionLength = 500;
