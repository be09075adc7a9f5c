import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { pidOf, stopProcess } from "./processes.ts";
import { type Pace, rawPost, type Target, type TargetName } from "./target.ts";

export interface MusterOptions {
  providerPort: number;
  /** Folder for a CPU profile of the server, written when it stops. */
  profileDirectory?: string | undefined;
  /** Starts twice and measures the second start, with an existing database. */
  startTwice?: boolean;
  /** Folder of the checkout to start. Default: this one. */
  checkout?: string;
  /** Further settings. */
  env?: Readonly<Record<string, string>>;
}

export interface MusterTarget extends Target {
  /** Raw requests that each create a session and run its first turn. */
  prepareStarts(pace: Pace, count: number): Promise<string[]>;
  /** Creates as many sessions. Raw requests that each run a turn of one of them, any number of times. */
  prepareTriggers(pace: Pace, count: number): Promise<string[]>;
}

const thisCheckout = fileURLToPath(new URL("../../", import.meta.url));
const startWithinMs = 30_000;
const preparers = 16;

/** Muster as `npm start` runs it, with a database of its own in a temporary folder. */
export async function startMuster(name: TargetName, options: MusterOptions): Promise<MusterTarget> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const key = `svc_sk_${randomBytes(24).toString("hex")}`;
  if (options.startTwice) await (await launch(directory, key, options)).stop();
  const server = await launch(directory, key, options);
  const api = new Api(server.port, key);
  const agents = new Map<Pace, string>();
  const agentFor = async (pace: Pace): Promise<string> => {
    const agentId = agents.get(pace) ?? (await api.createAgent(pace));
    agents.set(pace, agentId);
    return agentId;
  };
  const prepareStarts = async (pace: Pace, count: number): Promise<string[]> => {
    const agentId = await agentFor(pace);
    return Array.from({ length: count }, () => startRequest(agentId, key));
  };
  const prepareTriggers = async (pace: Pace, count: number): Promise<string[]> => {
    const sessions = await api.createSessions(await agentFor(pace), count);
    return sessions.map((sessionId) => triggerRequest(sessionId, key));
  };

  return {
    name,
    port: server.port,
    pid: server.pid,
    coldStartMs: server.coldStartMs,
    deltaMarker: '"type":"text-delta"',
    endMarker: '"finishReason":"stop"',
    prepare: name === "triggered" ? prepareTriggers : prepareStarts,
    prepareStarts,
    prepareTriggers,
    async stop() {
      await api.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Hello" } };

/** Creates a session and runs its first turn. */
function startRequest(agentId: string, key: string): string {
  const body = JSON.stringify({ agentId, trigger });
  return rawPost("/api/agent-sessions/start", { Authorization: `Bearer ${key}` }, body);
}

function triggerRequest(sessionId: string, key: string): string {
  const path = `/api/agent-sessions/${sessionId}/trigger`;
  return rawPost(path, { Authorization: `Bearer ${key}` }, JSON.stringify(trigger));
}

async function launch(
  directory: string,
  key: string,
  { providerPort, profileDirectory, checkout = thisCheckout, env }: MusterOptions,
) {
  const port = await freePort();
  if (profileDirectory) await mkdir(profileDirectory, { recursive: true });
  const profile = profileDirectory ? ["--cpu-prof", `--cpu-prof-dir=${profileDirectory}`] : [];
  const entry = join(checkout, await entryOf(checkout));
  const startMs = performance.now();
  const child = spawn(process.execPath, [...profile, entry], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: directory,
      MUSTER_ADMIN_KEY: key,
      LOCAL_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
      ...env,
    },
  });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors = (errors + data).slice(-4000);
  });
  child.once("exit", (code, signal) => {
    if (signal !== "SIGTERM" && code !== 0) console.error(`Muster ended with ${signal ?? code}.\n${errors}`);
  });
  const isUp = async (): Promise<boolean> => {
    const response = await request(`http://127.0.0.1:${port}/api/agents`, {
      headers: { authorization: `Bearer ${key}` },
    }).catch(() => undefined);
    await response?.body.dump();
    return response?.statusCode === 200;
  };
  while (!(await isUp())) {
    const elapsedMs = performance.now() - startMs;
    if (child.exitCode !== null || elapsedMs > startWithinMs) {
      await stopProcess(child);
      throw new Error(`Muster did not start within ${Math.round(elapsedMs)} ms`);
    }
    await sleep(5);
  }
  const coldStartMs = performance.now() - startMs;
  return { port, pid: pidOf(child), coldStartMs, stop: () => stopProcess(child) };
}

/** The module that `npm start` of a checkout runs; it had another name in earlier ones. */
async function entryOf(checkout: string): Promise<string> {
  const { scripts }: { scripts: { start: string } } = JSON.parse(
    await readFile(join(checkout, "package.json"), "utf8"),
  );
  const [entry] = scripts.start.split(" ").slice(-1);
  if (!entry?.includes("deploy/local/")) throw new Error(`npm start of ${checkout} is ${scripts.start}`);
  return entry;
}

/** The calls that prepare a measurement. */
class Api {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #agent = new Agent({ connections: preparers, keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 });

  constructor(port: number, key: string) {
    this.#base = `http://127.0.0.1:${port}`;
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  }

  createAgent(pace: Pace): Promise<string> {
    return this.#post("/api/agents", definition(pace), "agentId");
  }

  async createSessions(agentId: string, count: number): Promise<string[]> {
    const sessions: string[] = [];
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) sessions.push(await this.#post("/api/agent-sessions", { agentId }, "sessionId"));
    };
    await Promise.all(Array.from({ length: preparers }, worker));
    return sessions;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #post(path: string, body: unknown, field: string): Promise<string> {
    const response = await request(this.#base + path, {
      dispatcher: this.#agent,
      method: "POST",
      headers: this.#headers,
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.body.json();
    const value: unknown =
      typeof answer === "object" && answer !== null ? Reflect.get(answer, field) : undefined;
    if (typeof value !== "string")
      throw new Error(`POST ${path} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
    return value;
  }
}

/** The smallest agent that replies to a message. */
function definition(pace: Pace) {
  const protocol = `
triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: What the user says }
agent:
  model: local/${pace}
  system: system
handlers:
  user-message:
    Add the message:
      block: add-message
      role: user
      prompt: user-message
      input: [USER_MESSAGE]
    Answer:
      block: next-message
`;
  return {
    settings: { slug: pace, name: pace, format: "interactive" },
    protocol,
    prompts: [
      { name: "system", content: "You are helpful." },
      { name: "user-message", content: "{{USER_MESSAGE}}" },
    ],
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free");
  return address.port;
}
