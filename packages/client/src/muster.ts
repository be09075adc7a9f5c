import { Agents } from "./agents.ts";
import { Approvals } from "./approvals.ts";
import { Http, type MusterOptions, type Sent } from "./http.ts";
import { readEvents } from "./read-events.ts";
import { Sessions } from "./sessions.ts";
import { Tokens } from "./tokens.ts";
import type { ChangesEvent, Credential, ModelList } from "./wire-types.ts";
import { Workforce } from "./workforce.ts";

/**
 * A Muster server and a credential.
 *
 *     const muster = new Muster({ baseUrl: "http://localhost:8080", apiKey: process.env.MUSTER_API_KEY });
 *     const session = await muster.sessions.create({ agentSlug: "greeter" });
 *     console.log(await session.trigger("user-message", { USER_MESSAGE: "Hello" }).text());
 */
export class Muster {
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly workforce: Workforce;
  readonly agents: Agents;
  readonly tokens: Tokens;
  readonly #http: Http;

  constructor(options: MusterOptions) {
    this.#http = new Http(options);
    this.sessions = new Sessions(this.#http);
    this.approvals = new Approvals(this.#http);
    this.workforce = new Workforce(this.#http);
    this.agents = new Agents(this.#http);
    this.tokens = new Tokens(this.#http);
  }

  /**
   * The addresses whose contents change, such as `/api/agent-sessions`, in one connection. Throws once it is lost: read
   * what you show again after the next `connected`.
   */
  async *changes({ signal }: Pick<Sent, "signal"> = {}): AsyncGenerator<ChangesEvent> {
    const response = await this.#http.stream("GET", "/api/changes", { signal });
    for await (const { event } of readEvents<ChangesEvent>(response, this.#http.url)) yield event;
  }

  /** The models that agents can name, with their prices. Needs no key. */
  models({
    provider,
    signal,
  }: Pick<Sent, "signal"> & { provider?: string | undefined } = {}): Promise<ModelList> {
    return this.#http.json("GET", "/api/models", { query: { provider }, signal });
  }

  /**
   * Any other route: `muster.request<KeyList>("GET", "/api/admin/keys")`. A cut GET is repeated, and so is a request with
   * `isRepeatable: true`.
   */
  request<Reply>(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    return this.#http.json(method, path, sent);
  }

  /** The key itself: its permissions, and the only agent that it may use. */
  credential({ signal }: Pick<Sent, "signal"> = {}): Promise<Credential> {
    return this.#http.json("GET", "/api/credential", { signal });
  }
}
