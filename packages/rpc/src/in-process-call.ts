import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { CallContext, type CallOrigin } from "./call-context.ts";
import { principalHeader, requestIdHeader } from "./call-options.ts";
import { abortError, canceledError, deadlineError } from "./handling.ts";
import { methodPath } from "./mount.ts";
import { deadlineAfter } from "./timeouts.ts";

const origin: CallOrigin = { protocolName: "in-process", baseUrl: "http://in-process" };

/** The parameters of a call within the process. */
export interface LocalCall {
  readonly method: DescMethod;
  readonly header: HeadersInit | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A context that ends with its caller's signal and deadline, like that of a call over a connection. */
export class LocalContext {
  readonly context: CallContext;
  readonly #header: HeadersInit | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ method, header, timeoutMs, signal }: LocalCall) {
    if (signal?.aborted) throw abortError(signal.reason);
    this.#header = header;
    this.#signal = signal;
    this.context = new CallContext(origin, {
      method,
      path: methodPath(method),
      deadlineMs: deadlineAfter(timeoutMs),
      header: () => new Headers(header),
    });
    signal?.addEventListener("abort", this.#cancel, { once: true });
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => this.context.abort(deadlineError()), timeoutMs);
    }
  }

  get principal(): string | undefined {
    return readHeader(this.#header, principalHeader);
  }

  get requestId(): string | undefined {
    return readHeader(this.#header, requestIdHeader);
  }

  /** The error that the caller receives if the call was aborted with this reason. */
  failure(reason: unknown): ConnectError {
    return abortError(this.#signal?.aborted ? this.#signal.reason : reason);
  }

  checkDeadline(): void {
    const leftMs = this.context.timeoutMs();
    if (leftMs !== undefined && leftMs <= 0) this.context.abort(deadlineError());
  }

  cancel(): void {
    if (this.context.isRunning) this.context.abort(canceledError());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#cancel);
    this.context.end();
  }

  readonly #cancel = (): void => this.cancel();
}

/** Avoids creating Headers, because the value is nearly always a plain object. */
function readHeader(header: HeadersInit | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  if (!(header instanceof Headers) && !Array.isArray(header)) {
    const value = header[name];
    if (typeof value === "string") return value;
  }
  return new Headers(header).get(name) ?? undefined;
}
