import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

/** An agent and its own key. */
export interface Hired {
  agentId: string;
  key: string;
}

export interface Answer {
  status: number;
  etag: string | undefined;
  text: string;
}

const finalStatuses = new Set(["completed", "failed", "cancelled", "blocked"]);
const endWithinMs = 120_000;

/** What the callers of a server's workforce agents do. */
export class Api {
  readonly #url: string;
  readonly #dispatcher: Agent;

  /** `connections`: how many requests can be under way at once. */
  constructor(url: string, connections: number) {
    this.#url = url;
    this.#dispatcher = new Agent({
      connections,
      pipelining: 1,
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
    });
  }

  async send(
    method: "GET" | "POST",
    path: string,
    key: string,
    json?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await request(this.#url + path, {
      dispatcher: this.#dispatcher,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json && { "content-type": "application/json" }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    const { etag } = response.headers;
    const text = await response.body.text();
    return { status: response.statusCode, etag: typeof etag === "string" ? etag : undefined, text };
  }

  /** The JSON of a response that must have this status. */
  async json(expected: number, ...call: Parameters<Api["send"]>): Promise<Record<string, unknown>> {
    const { status, text } = await this.send(...call);
    if (status !== expected) throw new Error(`${call[0]} ${call[1]}: ${status} ${text}`);
    const parsed: unknown = JSON.parse(text);
    return { ...Object(parsed) };
  }

  /** The definition of an agent that answers each message with one call to the model. */
  async define(key: string): Promise<string> {
    const { agentId } = await this.json(201, "POST", "/api/agents", key, definition);
    return String(agentId);
  }

  async hire(key: string, definitionId: string, name: string): Promise<Hired> {
    const hired = await this.json(201, "POST", "/api/admin/workforce/agents", key, {
      name,
      agentId: definitionId,
    });
    return { agentId: String(hired.agentId), key: String(hired.key) };
  }

  /** The id of the new thread. */
  async dispatch({ agentId, key }: Hired, message: string, config?: { record: boolean }): Promise<string> {
    const path = `/api/v1/workforce/agents/${agentId}/threads`;
    const body = { message, ...(config && { config }) };
    return String((await this.json(201, "POST", path, key, body)).threadId);
  }

  async followUp({ agentId, key }: Hired, threadId: string, message: string): Promise<void> {
    await this.json(202, "POST", `/api/v1/workforce/agents/${agentId}/threads/${threadId}/messages`, key, {
      message,
    });
  }

  read(
    { agentId, key }: Hired,
    threadId: string,
    options: { etag?: string | undefined; wait?: number } = {},
  ): Promise<Answer> {
    const { etag, wait } = options;
    const query = wait === undefined ? "" : `?wait=${wait}`;
    const path = `/api/v1/workforce/agents/${agentId}/threads/${threadId}${query}`;
    return this.send("GET", path, key, undefined, etag === undefined ? {} : { "if-none-match": etag });
  }

  /** Throws unless the thread is completed in the end. */
  async completed(agent: Hired, threadId: string): Promise<void> {
    const deadlineMs = performance.now() + endWithinMs;
    for (;;) {
      const { status, text } = await this.read(agent, threadId).catch(() => ({ status: 503, text: "" }));
      const thread: unknown = status === 200 ? JSON.parse(text) : {};
      const { status: state } = Object(thread);
      if (state === "completed") return;
      if (finalStatuses.has(state)) throw new Error(`A thread ended as ${text.slice(0, 500)}`);
      if (performance.now() > deadlineMs) throw new Error(`A thread is still ${state}`);
      await sleep(20);
    }
  }

  /** Resolves once the agent has no work. */
  async idle({ agentId, key }: Hired): Promise<void> {
    const path = `/api/v1/workforce/agents/${agentId}`;
    while ((await this.json(200, "GET", path, key)).status !== "idle") await sleep(5);
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

const definition = {
  settings: { slug: "bench", name: "Bench", format: "interactive" },
  protocol: [
    "triggers:",
    "  user-message:",
    "    input: { TASK: { type: string, description: Text } }",
    "agent: { model: local/bench, system: system, agentic: true }",
    "handlers:",
    "  user-message:",
    "    Add: { block: add-message, role: user, prompt: task, input: [TASK] }",
    "    Answer: { block: next-message }",
  ].join("\n"),
  prompts: [
    { name: "system", content: "Work." },
    { name: "task", content: "{{TASK}}" },
  ],
};
