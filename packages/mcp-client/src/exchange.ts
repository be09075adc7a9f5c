import { Readable } from "node:stream";
import type { FetchLike } from "@modelcontextprotocol/client";
import { FetchProblem, type GuardedFetch, type GuardedResponse } from "@muster/guarded-fetch";
import type { Clock } from "@muster/service";
import { Base64Shelf } from "./base64-shelf.ts";
import { limitEvents } from "./limit-events.ts";
import type { McpServer } from "./mcp-server.ts";
import { ObjectCounter } from "./object-counter.ts";
import { secretsOf } from "./server-headers.ts";
import { SlicedResponse } from "./sliced-response.ts";

const graceMs = 1_000;
/** A server of the old era can make the SDK resume a response again and again. */
const maxRequests = 100;

export interface ExchangeOptions {
  server: McpServer;
  fetch: GuardedFetch;
  clock: Clock;
  /** The limit of all responses together. */
  maxBytes: number;
  signal: AbortSignal;
}

/** One listing, call or test. All that it sends and receives, including metadata and tokens, shares its limits. */
export class Exchange {
  /** Aborts when the caller aborts, and when a limit of time is reached. */
  readonly signal: AbortSignal;
  /** Why the last request failed, if no other has succeeded since. The SDK does not pass it on in every case. */
  problem: FetchProblem | undefined;
  /** Values that must not appear in a message. */
  readonly secrets: Set<string>;
  /** The server may have received the call, and has not refused it. */
  mayHaveEffect = false;
  /** Requests to the server's URL carry the call. */
  isCalling = false;
  /** The last response is a stream, whose events follow its header. */
  isStreaming = false;
  /** The large files in the result of the call. */
  readonly shelf = new Base64Shelf();
  readonly #options: ExchangeOptions;
  readonly #limit = new AbortController();
  /** Ends what is on the network, a moment later: a server of the old era has to be told. */
  readonly #end = new AbortController();
  readonly #idle: NodeJS.Timeout;
  readonly #total: NodeJS.Timeout;
  #bytesLeft: number;
  #requests = 0;
  readonly #objects = new ObjectCounter();

  constructor(options: ExchangeOptions) {
    const { server, maxBytes, signal } = options;
    this.#options = options;
    this.#bytesLeft = maxBytes;
    this.secrets = new Set(secretsOf(server));
    this.signal = AbortSignal.any([signal, this.#limit.signal]);
    const { idleTimeoutMs, timeoutMs } = server;
    this.#idle = setTimeout(
      () => this.#stop(`has not made any progress for ${idleTimeoutMs} ms`),
      idleTimeoutMs,
    );
    this.#total = setTimeout(() => this.#stop(`took more than ${timeoutMs} ms`), timeoutMs);
  }

  /** Ends with the promise, or with the signal. */
  async run<T>(work: Promise<T>): Promise<T> {
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(this.signal.reason);
    this.signal.addEventListener("abort", stop, { once: true });
    if (this.signal.aborted) stop();
    try {
      return await Promise.race([work, stopped.promise]);
    } finally {
      this.signal.removeEventListener("abort", stop);
      clearTimeout(this.#idle);
      clearTimeout(this.#total);
    }
  }

  /** Closes what is still open, after `finish` if that takes less than a second. */
  async end(finish: () => Promise<void>): Promise<void> {
    const close = () => this.#end.abort(new FetchProblem("unreachable", "The exchange has ended."));
    const timer = setTimeout(close, graceMs);
    // Everything is closed below, whether or not the server could be told.
    await finish().catch(() => {});
    clearTimeout(timer);
    close();
  }

  /** Reaches the server and its authorization server for the SDK. */
  readonly fetch: FetchLike = async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const method = init.method ?? "GET";
    // The old era's stream of messages that answer no request. A resumed response is wanted.
    if (method === "GET" && headers.accept?.includes("text/event-stream") && !headers["last-event-id"])
      return new Response(null, { status: 405 });
    const isCall = this.isCalling && method === "POST" && String(url) === this.#options.server.url;
    try {
      return await this.#send(url, init, { method, headers, isCall });
    } catch (error) {
      if (isCall && error instanceof FetchProblem && error.reason === "too-many-redirects")
        this.mayHaveEffect = false;
      throw new TypeError("The request failed.", { cause: this.#noted(error) });
    }
  };

  async #send(
    url: string | URL,
    { body, signal }: RequestInit,
    { method, headers, isCall }: { method: string; headers: Record<string, string>; isCall: boolean },
  ): Promise<Response> {
    const { fetch, server } = this.#options;
    const { timeoutMs, idleTimeoutMs } = server;
    if (++this.#requests > maxRequests)
      throw new FetchProblem("too-large", `The server asks for more than ${maxRequests} requests.`);
    const response = await fetch(
      url,
      {
        method,
        headers,
        ...(body != null && { body: String(body) }),
        maxBytes: this.#bytesLeft,
        timeoutMs,
        stallMs: idleTimeoutMs,
        redirects: 0,
        onConnect: () => {
          if (isCall) this.mayHaveEffect = true;
        },
      },
      signal ? AbortSignal.any([this.#end.signal, signal]) : this.#end.signal,
    );
    this.#idle.refresh();
    this.problem = undefined;
    // Refused before it was carried out. Behind a 5xx of a proxy, the server may have been at work.
    if (isCall && response.status >= 300 && response.status < 500) this.mayHaveEffect = false;
    return this.#received(response);
  }

  #received({ status, headers, body }: GuardedResponse): Response {
    if (status === 204 || status === 205 || status === 304) {
      body.destroy();
      return new Response(null, { status, headers });
    }
    const isStream = /^\s*text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "");
    this.isStreaming = isStream;
    const readable = Readable.from(this.#bounded(body, isStream), { objectMode: false });
    return new SlicedResponse(Readable.toWeb(readable), { status, headers });
  }

  async *#bounded(body: AsyncIterable<Buffer>, isStream: boolean) {
    const counted = this.#counted(body);
    try {
      if (isStream) yield* limitEvents(counted, this.#options.clock, () => this.#idle.refresh());
      else yield* counted;
    } catch (error) {
      throw this.#noted(error);
    }
  }

  async *#counted(body: AsyncIterable<Buffer>) {
    for await (const chunk of body) {
      this.#bytesLeft -= chunk.length;
      if (this.#bytesLeft < 0) throw new FetchProblem("too-large", "The server sends too much.");
      this.#objects.add(chunk);
      const problem = this.#objects.problem;
      if (problem !== undefined) throw new FetchProblem("too-large", `The server sends ${problem}.`);
      yield chunk;
    }
  }

  #noted(error: unknown): unknown {
    if (error instanceof FetchProblem) this.problem = error;
    return error;
  }

  #stop(clause: string): void {
    this.problem = new FetchProblem("too-slow", `The server ${clause}.`);
    this.#limit.abort(this.problem);
  }
}
