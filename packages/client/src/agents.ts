import { MusterError } from "./errors.ts";
import type { Http, Sent } from "./http.ts";
import { Turn, type TurnOptions } from "./turn.ts";
import type {
  Agent,
  AgentChange,
  AgentList,
  AgentVersionList,
  CreateAgentRequest,
  ExecuteRequest,
  ToolResult,
  UpdateAgentRequest,
  ValidationReport,
} from "./wire-types.ts";

type Signal = Pick<Sent, "signal">;

/** Ids begin with a prefix that slugs cannot have. */
function addressOf(agent: string, rest = ""): { path: string; query: { by?: "slug" } } {
  const path = `/api/agents/${encodeURIComponent(agent)}${rest}`;
  return { path, query: agent.startsWith("agt_") ? {} : { by: "slug" } };
}

/** Agent definitions, and workers, which run without a session. Agents are named by their id or slug. */
export class Agents {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The active agents of the project. */
  list({ signal }: Signal = {}): Promise<AgentList> {
    return this.#http.json("GET", "/api/agents", { signal });
  }

  /** A definition; the latest version by default. */
  get(agent: string, { version, signal }: Signal & { version?: number | undefined } = {}): Promise<Agent> {
    const { path, query } = addressOf(agent);
    return this.#http.json("GET", path, { query: { ...query, version }, signal });
  }

  versions(agent: string, { signal }: Signal = {}): Promise<AgentVersionList> {
    const { path, query } = addressOf(agent, "/versions");
    return this.#http.json("GET", path, { query, signal });
  }

  /** Reports the problems of a definition, and stores nothing. */
  validate(definition: CreateAgentRequest, { signal }: Signal = {}): Promise<ValidationReport> {
    return this.#http.json("POST", "/api/agents/validate", { body: definition, signal, isRepeatable: true });
  }

  create(definition: CreateAgentRequest, { signal }: Signal = {}): Promise<AgentChange> {
    return this.#http.json("POST", "/api/agents", { body: definition, signal });
  }

  /** A new version, with the parts given. `version`: the current one, otherwise the update is refused as VERSION_MISMATCH. */
  update(
    agent: string,
    changes: UpdateAgentRequest,
    { version, signal }: Signal & { version?: number | undefined } = {},
  ): Promise<AgentChange> {
    const { path, query } = addressOf(agent);
    const headers = version === undefined ? {} : { "if-match": `"${version}"` };
    return this.#http.json("PATCH", path, { query, headers, body: changes, signal });
  }

  /** Creates the agent of this slug, or its next version. Without changes, there is none. */
  async push({ settings, ...definition }: CreateAgentRequest, options: Signal = {}): Promise<AgentChange> {
    const { slug, ...changes } = settings;
    try {
      return await this.update(slug, { settings: changes, ...definition }, options);
    } catch (error) {
      if (!(error instanceof MusterError) || error.code !== "NOT_FOUND") throw error;
      return this.create({ settings, ...definition }, options);
    }
  }

  /**
   * Runs an agent of format `worker`; `result()` has its `output`. The server does not keep its events, so that a
   * connection that breaks ends it with OUTCOME_UNKNOWN.
   */
  execute(
    agent: string,
    input: Record<string, unknown> = {},
    {
      tools,
      signal,
      ...more
    }: TurnOptions & Pick<ExecuteRequest, "maxUsd" | "subject" | "dynamicToolSchemas"> = {},
  ): Turn {
    const { path, query } = addressOf(agent, "/execute");
    const send = (body: ExecuteRequest) => this.#http.stream("POST", path, { query, body, signal });
    const routes = {
      isWorker: true,
      begin: () => send({ type: "start", input, ...more }),
      continue: (executionId: string, toolResults: ToolResult[]) =>
        send({ type: "continue", executionId, toolResults }),
    };
    return new Turn(this.#http, routes, { tools, signal });
  }
}
