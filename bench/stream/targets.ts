import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Api } from "../support/api.ts";
import { startHelper } from "../support/processes.ts";
import { createHome, type Settings } from "../support/server.ts";
import type { Pace } from "./pace.ts";

/**
 * In the order of the table. `bare` is what many would build instead (`bare-server.ts`); `unlogged` is Muster with
 * `EXECUTION_LOG=off`; `triggered` is Muster with sessions that were created before.
 */
export const targetNames = ["bare", "unlogged", "triggered", "muster"] as const;
export type TargetName = (typeof targetNames)[number];

/** Variants of Muster, compared with others of their age only. */
export const onlyByAge: ReadonlySet<TargetName> = new Set(["unlogged", "triggered"]);

/** A server under load in front of the scripted provider. */
export interface Target {
  name: TargetName;
  port: number;
  /** The process that is measured. */
  pid: number;
  /** The time from starting the process to its first response: with nothing on disk, and when started again. */
  firstStartMs: number;
  laterStartMs: number;
  /** Occurs once in every delta. */
  deltaMarker: string;
  /** Occurs at the end of every complete response, and nowhere else. */
  endMarker: string;
  /** Raw requests that each start one stream. Preparing them is not measured. */
  prepare(pace: Pace, count: number): Promise<string[]>;
  stop(): Promise<void>;
}

export interface TargetOptions extends Pick<Settings, "checkout" | "profile"> {
  /** The port of the scripted provider. */
  provider: number;
  /** Starts Muster twice, the second time with an existing database. */
  startTwice?: boolean;
}

/** Starts a fresh server. */
export function startTarget(name: TargetName, options: TargetOptions): Promise<Target> {
  return name === "bare" ? startBare(options.provider) : startMuster(name, options);
}

async function startMuster(
  name: TargetName,
  { provider, startTwice, ...options }: TargetOptions,
): Promise<Target> {
  const env = { EXECUTION_LOG: name === "unlogged" ? "off" : "on" };
  const home = await createHome({ models: `http://127.0.0.1:${provider}/v1`, env, ...options });
  let server = await home.start();
  const firstStartMs = server.startMs;
  if (startTwice) {
    await server.stop();
    server = await home.start();
  }
  const api = new Api(server.url, home.key, 16);
  const agents = new Map<Pace, string>();
  const agentOf = async (pace: Pace): Promise<string> => {
    const agentId = agents.get(pace) ?? (await api.create("/api/agents", definition(pace), "agentId"));
    agents.set(pace, agentId);
    return agentId;
  };
  const post = (path: string, body: object) => rawPost(path, body, { Authorization: `Bearer ${home.key}` });
  const start = async (agentId: string) => post("/api/agent-sessions/start", { agentId, trigger });
  const createAndTrigger = async (agentId: string) => {
    const sessionId = await api.create("/api/agent-sessions", { agentId }, "sessionId");
    return post(`/api/agent-sessions/${sessionId}/trigger`, trigger);
  };
  const prepareOne = name === "triggered" ? createAndTrigger : start;
  return {
    ...{ name, port: server.port, pid: server.pid, firstStartMs, laterStartMs: server.startMs },
    ...{ deltaMarker: '"type":"text-delta"', endMarker: '"finishReason":"stop"' },
    prepare: async (pace, count) => {
      const agentId = await agentOf(pace);
      return Promise.all(Array.from({ length: count }, () => prepareOne(agentId)));
    },
    stop: async () => {
      await api.close();
      await server.stop();
      await home.remove();
    },
  };
}

/** The AI SDK behind `node:http`, with its conversations in a database of its own. */
async function startBare(provider: number): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const startedMs = performance.now();
  const args = [String(provider), join(directory, "bare.sqlite")];
  const server = await startHelper(new URL("bare-server.ts", import.meta.url), args);
  await (await fetch(`http://127.0.0.1:${server.port}/`)).arrayBuffer();
  const startMs = performance.now() - startedMs;
  let sessions = 0;
  const request = (model: Pace) =>
    rawPost("/", { session: `session-${++sessions}`, model, message: "Hello" });
  return {
    ...{ ...server, name: "bare", firstStartMs: startMs, laterStartMs: startMs },
    ...{ deltaMarker: '"type":"text-delta"', endMarker: "data: [DONE]" },
    prepare: async (pace, count) => Array.from({ length: count }, () => request(pace)),
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function rawPost(path: string, value: object, headers: Record<string, string> = {}): string {
  const body = JSON.stringify(value);
  const all = {
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    "Content-Length": body.length,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, text]) => `${name}: ${text}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Hello" } };

/** The smallest agent that replies to a message. */
export function definition(pace: Pace): object {
  const protocol = `
triggers:
  user-message: { input: { USER_MESSAGE: { type: string, description: What the user says } } }
agent: { model: local/${pace}, system: system }
handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`;
  const prompts = [
    { name: "system", content: "You are helpful." },
    { name: "user-message", content: "{{USER_MESSAGE}}" },
  ];
  return { settings: { slug: pace, name: pace, format: "interactive" }, protocol, prompts };
}
