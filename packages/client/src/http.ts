import { Credential, type TokenSource } from "./credential.ts";
import { connectionLost, errorOf, MusterError, NotSentError } from "./errors.ts";
import { followEvents } from "./follow-events.ts";
import { type Clock, Patience, systemClock } from "./patience.ts";

export interface MusterOptions extends TokenSource {
  /** The address of the server, such as `https://muster.example.com`. */
  baseUrl: string;
  /** The project to act in, for the bootstrap key only. */
  project?: string | undefined;
  /** Default: the global one. */
  fetch?: typeof fetch | undefined;
  /** How long a request that is safe to repeat, and a stream without progress, is tried again. Default: 60,000. */
  retryForMs?: number | undefined;
  /** How long a response may take, and the beginning of a stream. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** For tests. */
  clock?: Clock | undefined;
}

export interface Sent {
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** Whether a repetition has no effect of its own. Default: true for GET. */
  isRepeatable?: boolean | undefined;
  /** How long the server may wait before it responds, in addition to `timeoutMs`. */
  waitMs?: number | undefined;
}

/** A request with an end of its own. */
type Attempt = Sent & { signal: AbortSignal };

/** Random, for a request and its repetitions. Pages without TLS have no `randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A response, without its body if the status is 304. */
export interface Answer<Reply> {
  reply: Reply;
  headers: Headers;
  status: number;
}

/** The requests of a client: credential, errors, repetition. */
export class Http {
  readonly url: string;
  readonly clock: Clock;
  /** Sends without the credential, for URLs that are one themselves. */
  readonly fetch: typeof fetch;
  readonly #options: MusterOptions;
  readonly #credential: Credential;

  constructor(options: MusterOptions) {
    this.url = options.baseUrl.replace(/\/+$/, "");
    this.clock = options.clock ?? systemClock;
    this.#options = options;
    const send = options.fetch ?? fetch;
    // Browsers refuse to call theirs as the method of another object.
    this.fetch = (input, init) => send(input, init);
    this.#credential = new Credential(options, this.clock);
  }

  /** A key of one agent. Other credentials manage the project's agents. */
  get isKeyOfAgent(): boolean {
    return this.#options.apiKey?.startsWith("svc_agt_") === true;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 60_000;
  }

  patience(signal: AbortSignal | undefined): Patience {
    return new Patience(this.clock, this.#options.retryForMs ?? 60_000, signal);
  }

  /** The events after a number, across lost connections. `reopen` and `first`: as in `followEvents`. */
  follow<Event extends object>(
    reopen: (after: number) => Promise<Response>,
    place: { first?: Response | undefined; after?: number | undefined; signal: AbortSignal | undefined },
  ) {
    const { url } = this;
    return followEvents<Event>(reopen, { url, patience: this.patience(place.signal) }, place);
  }

  /** The JSON body of a success; undefined for one without a body. Its type is the server's word, which only adds fields. */
  async json<Reply>(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const { reply } = await this.reply<Reply>(method, path, sent);
    return reply;
  }

  /** The same with the headers. */
  async reply<Reply>(method: string, path: string, sent: Sent = {}): Promise<Answer<Reply>> {
    return this.#repeated(method, sent, async () => {
      const timeout = AbortSignal.timeout(this.#timeoutMs + (sent.waitMs ?? 0));
      const signal = sent.signal === undefined ? timeout : AbortSignal.any([sent.signal, timeout]);
      const response = await this.#send(method, path, { ...sent, signal });
      const text = await response.text().catch((cause) => Promise.reject(connectionLost(this.url, cause)));
      return { reply: this.#parse(text) as Reply, headers: response.headers, status: response.status };
    });
  }

  /** A response with events, in one attempt. Once it has begun, it can last as long as it needs. */
  async stream(method: string, path: string, { signal, ...sent }: Sent): Promise<Response> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("no response")), this.#timeoutMs);
    const signals = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const headers = { accept: "text/event-stream", ...sent.headers };
    try {
      return await this.#send(method, path, { ...sent, headers, signal: signals });
    } finally {
      clearTimeout(timer);
    }
  }

  /** A rejected token is replaced once: a request without a valid one has no effect. */
  async #send(method: string, path: string, sent: Attempt): Promise<Response> {
    for (let rejected: string | undefined; ; ) {
      const authorization = await this.#credential.header(sent.signal, rejected);
      const response = await this.#fetch(method, path, sent, authorization);
      if (response.ok || response.status === 304) return response;
      if (response.status !== 401 || rejected !== undefined || !this.#credential.isRenewable)
        throw await errorOf(response, this.url);
      rejected = authorization;
      await response.body?.cancel();
    }
  }

  async #repeated<T>(method: string, sent: Sent, attempt: () => Promise<T>): Promise<T> {
    const { signal, isRepeatable = method === "GET" } = sent;
    const patience = this.patience(signal);
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        if (!isRepeatable && !(error instanceof NotSentError)) throw withoutResponse(error);
        await patience.failed(error);
      }
    }
  }

  async #fetch(
    method: string,
    path: string,
    { query = {}, body, headers, signal }: Attempt,
    authorization: string | undefined,
  ) {
    const { project } = this.#options;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) parameters.append(name, String(value));
    const address = `${this.url}${path}${parameters.size === 0 ? "" : `?${parameters}`}`;
    const request = {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(project !== undefined && { "x-project-id": project }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    // Throws a TypeError for a wrong address or header, which no repetition can send.
    new Request(address, request);
    try {
      return await this.fetch(address, { ...request, signal });
    } catch (cause) {
      throw connectionLost(this.url, cause);
    }
  }

  #parse(text: string): unknown {
    if (text === "") return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new MusterError("UNEXPECTED_RESPONSE", `${this.url} did not respond with JSON.`, { cause });
    }
  }
}

function withoutResponse(error: unknown): unknown {
  if (!(error instanceof MusterError) || error.code !== "CONNECTION_LOST") return error;
  const message = `${error.message} The request may have had its effect; read the state.`;
  return new MusterError("OUTCOME_UNKNOWN", message, { cause: error });
}
