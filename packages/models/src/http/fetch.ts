import { Agent, type Dispatcher } from "undici";
import {
  BodyGate,
  boundBody,
  boundFetch,
  defaultResponseBounds,
  Pace,
  type ResponseBounds,
} from "./body-gate.ts";
import { BodyStream } from "./body-stream.ts";

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = NonNullable<Parameters<Fetch>[1]>;

export interface ModelsFetch {
  fetch: Fetch;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/**
 * A `fetch` for model providers: it has its own connections, keeps them alive between calls, and does less work per
 * response than the global one. It speaks HTTP/1.1, follows no redirects and sets no time
 * limits (`streamModel` does). Response bodies are bounded. It handles the requests that provider packages make; others go to the global `fetch`.
 */
export function createFetch(bounds: ResponseBounds = defaultResponseBounds): ModelsFetch {
  const agent = new Agent({
    allowH2: false,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 600_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
  });
  const anyFetch = boundFetch(globalThis.fetch, bounds);
  return {
    fetch: (input, init) => {
      const plain = readPlainRequest(input, init);
      return plain === undefined ? anyFetch(input, init) : dispatch(agent, plain, bounds);
    },
    close: () => agent.close(),
  };
}

interface PlainRequest {
  url: URL;
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  signal: AbortSignal | undefined;
}

function readPlainRequest(input: Input, init: Init = {}): PlainRequest | undefined {
  const { method = "GET", body = null } = init;
  if (typeof input !== "string" && !(input instanceof URL)) return undefined;
  if (method !== "GET" && method !== "POST" && method !== "DELETE") return undefined;
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  const headers = readHeaders(init.headers);
  return { url: new URL(input), method, headers, body, signal: init.signal ?? undefined };
}

// The packages pass plain objects, which need no conversion to `Headers`.
function readHeaders(given: Init["headers"]): Record<string, string> {
  if (given === undefined || Array.isArray(given) || given instanceof Headers)
    return Object.fromEntries(new Headers(given));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers[name] = value;
  return headers;
}

function dispatch(
  agent: Agent,
  { url, method, headers, body, signal }: PlainRequest,
  bounds: ResponseBounds,
): Promise<Response> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const handler = new ResponseHandler(resolve, reject, signal, bounds);
    agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, handler);
  });
}

/** Receives one response: its head settles the promise of `fetch`, its data feeds the body. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #bounds: ResponseBounds;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyStream | undefined;

  constructor(
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
    bounds: ResponseBounds,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#bounds = bounds;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) controller.abort(asError(this.#signal.reason));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    if (status < 200) return;
    const encoding = String(headers["content-encoding"] ?? "identity").toLowerCase();
    const isEncoded = encoding === "gzip" || encoding === "deflate";
    // Events can only be recognised once they are decoded.
    const { maxResponseBytes } = this.#bounds;
    const bounds = isEncoded ? { ...this.#bounds, maxEventBytes: maxResponseBytes } : this.#bounds;
    this.#body = new BodyStream(
      {
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        abort: (reason) => controller.abort(reason),
      },
      new BodyGate(status, bounds),
      new Pace(bounds.maxBytesPerSecond),
    );
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    const list = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      String(value ?? ""),
    ]);
    // No encoding is requested; some proxies compress anyway.
    const stream = isEncoded
      ? boundBody(this.#body.stream.pipeThrough(new DecompressionStream(encoding)), status, this.#bounds)
      : this.#body.stream;
    this.#resolve(
      new Response(hasBody ? stream : null, { status, statusText: statusText ?? "", headers: list }),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    // The caller's own reason; otherwise the error that `fetch` throws, which the provider packages recognise.
    const reason: unknown = this.#signal?.aborted
      ? this.#signal.reason
      : new TypeError(this.#body === undefined ? "fetch failed" : "terminated", { cause: error });
    if (this.#body === undefined) this.#reject(reason);
    else this.#body.fail(reason);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal?.reason;
    // A request that is still waiting for a connection has no controller: it ends when it is due.
    if (this.#body === undefined) this.#reject(reason);
    this.#controller?.abort(asError(reason));
  };

  #finish(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("Aborted", { cause: reason });
}
