import { setTimeout as sleep } from "node:timers/promises";
import { Api, type Reply } from "../support/api.ts";
import { createHome, type Server } from "../support/server.ts";
import type { Model } from "./model.ts";

/** An agent and its own key. */
export interface Hired {
  agentId: string;
  key: string;
}

/** A thread whose run waits for its model. */
export interface Running {
  agent: Hired;
  threadId: string;
}

const finalStatuses = new Set(["completed", "failed", "cancelled", "blocked"]);
const endWithinMs = 120_000;

/** The requests of callers of workforce agents. */
export class Callers {
  readonly api: Api;

  /** `connections`: how many requests can be open at once. */
  constructor(url: string, key: string, connections: number) {
    this.api = new Api(url, key, connections);
  }

  /** The definition of an agent that answers each message with calls to the model. */
  define(): Promise<string> {
    return this.api.create("/api/agents", definition, "agentId");
  }

  async hire(definitionId: string, name: string): Promise<Hired> {
    const body = { name, agentId: definitionId };
    const hired = await this.api.json("POST", "/api/admin/workforce/agents", { body });
    return { agentId: String(hired.agentId), key: String(hired.key) };
  }

  /** The id of the new thread. */
  dispatch({ agentId, key }: Hired, message: string, config?: { record: boolean }): Promise<string> {
    const path = `/api/v1/workforce/agents/${agentId}/threads`;
    return this.api.create(path, { message, ...(config && { config }) }, "threadId", key);
  }

  async followUp({ agentId, key }: Hired, threadId: string, message: string): Promise<void> {
    const path = `/api/v1/workforce/agents/${agentId}/threads/${threadId}/messages`;
    await this.api.json("POST", path, { body: { message }, key });
  }

  /** With `etag`, the response is 304 if nothing has changed, and with `wait`, after so many seconds. */
  read(
    { agentId, key }: Hired,
    threadId: string,
    { etag, wait }: { etag?: string | undefined; wait?: number } = {},
  ): Promise<Reply> {
    const path = `/api/v1/workforce/agents/${agentId}/threads/${threadId}`;
    const headers = etag === undefined ? {} : { "if-none-match": etag };
    return this.api.send("GET", wait === undefined ? path : `${path}?wait=${wait}`, { key, headers });
  }

  /** Throws unless the thread is completed in the end. */
  async completed(agent: Hired, threadId: string): Promise<void> {
    const deadlineMs = performance.now() + endWithinMs;
    for (;;) {
      const { status, text } = await this.read(agent, threadId).catch(() => ({ status: 503, text: "" }));
      const { status: state } = Object(status === 200 ? JSON.parse(text) : {});
      if (state === "completed") return;
      if (finalStatuses.has(state)) throw new Error(`A thread ended as ${text.slice(0, 500)}`);
      if (performance.now() > deadlineMs) throw new Error(`A thread is still ${state}`);
      await sleep(20);
    }
  }

  /** Resolves once the agent has no work. */
  async idle({ agentId, key }: Hired): Promise<void> {
    const path = `/api/v1/workforce/agents/${agentId}`;
    while ((await this.api.json("GET", path, { key })).status !== "idle") await sleep(5);
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/** A server in one process with its callers. */
export async function openSite(model: Model, env: Record<string, string> = {}, profile?: string) {
  const home = await createHome({
    models: model.baseUrl,
    isWatched: true,
    profile,
    // The model is held for as long as a figure takes.
    env: { ...model.patience, LOG_LEVEL: "error", DRAIN_SECONDS: "0", ...env },
  });
  const start = async (): Promise<{ server: Server; callers: Callers }> => {
    const server = await home.start();
    return { server, callers: new Callers(server.url, home.key, connections) };
  };
  let { server, callers } = await start();
  const definitionId = await callers.define();
  let marks = 0;
  const site = {
    home,
    get server() {
      return server;
    },
    get callers() {
      return callers;
    },
    hire: (name: string) => callers.hire(definitionId, name),
    hireMany: async (count: number): Promise<Hired[]> => {
      const agents: Hired[] = [];
      for (let index = 0; index < count; index++) agents.push(await site.hire(`Agent ${index}`));
      return agents;
    },
    /** A thread of the agent whose run waits for its model. */
    hold: async (agent: Hired): Promise<Running> => {
      const mark = `mark-hold${++marks}x`;
      const threadId = await callers.dispatch(agent, `HOLD ${mark}`);
      await model.arrival(mark);
      return { agent, threadId };
    },
    startRuns: async (count: number) => Promise.all((await site.hireMany(count)).map(site.hold)),
    /** Starts another server, once `act` is done in the folder of the stopped one. */
    restart: async (end: "kill" | "stop", act?: () => Promise<void>): Promise<void> => {
      await callers.close();
      // `kill -9` would lose a profile.
      await server[profile === undefined ? end : "stop"]();
      await act?.();
      ({ server, callers } = await start());
    },
    close: async (): Promise<void> => {
      await callers.close();
      await server.stop();
      await home.remove();
    },
  };
  return site;
}

export type Site = Awaited<ReturnType<typeof openSite>>;

const connections = 32;

const definition = {
  settings: { slug: "bench", name: "Bench", format: "interactive" },
  protocol: `
triggers:
  user-message: { input: { TASK: { type: string, description: Text } } }
agent: { model: local/bench, system: system, agentic: true }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: task, input: [TASK] }
    Answer: { block: next-message }
`,
  prompts: [
    { name: "system", content: "Work." },
    { name: "task", content: "{{TASK}}" },
  ],
};
