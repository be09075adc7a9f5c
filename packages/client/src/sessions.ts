import { MusterError } from "./errors.ts";
import { type Http, newIdempotencyKey, type Sent } from "./http.ts";
import { Session, sessionRoutes } from "./session.ts";
import { Turn, type TurnOptions } from "./turn.ts";
import type { CreatedSession, CreateSessionRequest, SessionList, StartSessionRequest } from "./wire-types.ts";

export interface SessionQuery extends Pick<Sent, "signal"> {
  agentId?: string | undefined;
  agentSlug?: string | undefined;
  status?: "active" | "expired" | undefined;
  subject?: string | undefined;
  /** Only sessions with these values. */
  metadata?: Readonly<Record<string, string>> | undefined;
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** `agentId` or `agentSlug`, `input`, `metadata`, `subject`, and the first `trigger`. */
export type StartSession = Omit<StartSessionRequest, "stream">;

/** The sessions of interactive agents. */
export class Sessions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** An existing session, without a request. */
  open(sessionId: string): Session {
    return new Session(this.#http, sessionId);
  }

  /** A new session. The request is not repeated, because a repetition would create another one. */
  async create(body: CreateSessionRequest, { signal }: Pick<Sent, "signal"> = {}): Promise<Session> {
    const sent = { body, signal };
    const { sessionId } = await this.#http.json<CreatedSession>("POST", "/api/agent-sessions", sent);
    return this.open(sessionId);
  }

  /** A new session with its first turn. The request has an idempotency key, so it is repeated across lost connections. */
  start(request: StartSession, options: TurnOptions = {}): Turn {
    const { signal } = options;
    const { idempotencyKey = newIdempotencyKey() } = request;
    const { onDisconnect = "continue" } = request.trigger;
    const trigger = { ...request.trigger, onDisconnect };
    const body = { ...request, idempotencyKey, trigger };
    const begin = async () => {
      const response = await this.#http.stream("POST", "/api/agent-sessions/start", { body, signal });
      if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
      const replayed = await response.json();
      turn.sessionId = Object(replayed).sessionId;
      throw new MusterError(
        "EVENTS_GONE",
        "The turn of this idempotency key ended long ago: read its session.",
      );
    };
    const routes = sessionRoutes(this.#http, () => turn.sessionId ?? "", { ...trigger, signal });
    const turn = new Turn(this.#http, { ...routes, begin, isRepeatable: true }, options);
    return turn;
  }

  /** A page of sessions, the latest change first. */
  list({ metadata = {}, signal, ...filter }: SessionQuery = {}): Promise<SessionList> {
    const of = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
    return this.#http.json("GET", "/api/agent-sessions", {
      query: { ...filter, ...Object.fromEntries(of) },
      signal,
    });
  }
}
