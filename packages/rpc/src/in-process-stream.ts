import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { ConnectError, StreamResponse } from "@connectrpc/connect";
import {
  CallContext,
  type CallOrigin,
  deadlineAfter,
  principalHeader,
  requestIdHeader,
} from "./call-context.ts";
import {
  abortError,
  admit,
  answerFor,
  callStartMs,
  canceledError,
  countCall,
  deadlineError,
  type Handling,
  type MountedMethod,
  methodPath,
  outputOf,
} from "./handling.ts";

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

type StreamMethod = Extract<MountedMethod, { kind: "server_streaming" | "bidi_streaming" }>;
type Begin = (context: CallContext) => AsyncIterable<MessageInitShape<DescMessage>>;

/**
 * A handler's stream as its caller sees it: each read pulls the handler once; a deadline, a cancellation or
 * `return` ends a pending read even when the handler ignores its signal.
 */
export class LocalStream<I extends DescMessage, O extends DescMessage>
  implements StreamResponse<I, O>, AsyncIterableIterator<MessageShape<O>>
{
  readonly stream = true;
  readonly method: DescMethodStreaming<I, O>;
  readonly #handling: Handling;
  readonly #mounted: StreamMethod;
  readonly #startMs: number;
  readonly #local: LocalContext;
  readonly #source: AsyncIterator<MessageInitShape<DescMessage>>;
  #waiting: PromiseWithResolvers<IteratorResult<MessageShape<O>, undefined>> | undefined;
  #end: { error: ConnectError | undefined } | undefined;

  /** Throws any error that the handler throws before its first message. */
  constructor(
    handling: Handling,
    mounted: StreamMethod,
    method: DescMethodStreaming<I, O>,
    call: LocalCall,
    begin: Begin,
  ) {
    this.method = method;
    this.#handling = handling;
    this.#mounted = mounted;
    this.#startMs = callStartMs(handling);
    this.#local = new LocalContext(call);
    this.#source = this.#start(begin);
    this.#local.context.onAbort((reason) => this.#onAbort(reason));
  }

  get message(): AsyncIterable<MessageShape<O>> {
    return this;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get header(): Headers {
    return this.#local.context.responseHeader;
  }

  get trailer(): Headers {
    return this.#local.context.responseTrailer;
  }

  next(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    // A handler that never waits would prevent all timers from firing.
    this.#local.checkDeadline();
    if (this.#end?.error !== undefined) return Promise.reject(this.#end.error);
    if (this.#end !== undefined) return Promise.resolve({ done: true, value: undefined });
    // Readers that do not wait for one another take turns.
    if (this.#waiting !== undefined) return this.#waiting.promise.then(() => this.next());
    const waiting = Promise.withResolvers<IteratorResult<MessageShape<O>, undefined>>();
    this.#waiting = waiting;
    this.#source.next().then(this.#onResult, this.#onError);
    return waiting.promise;
  }

  return(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    this.#local.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(begin: Begin): AsyncIterator<MessageInitShape<DescMessage>> {
    const { context } = this.#local;
    try {
      admit(this.#handling, context, this.#local.principal, this.#local.requestId);
      return begin(context)[Symbol.asyncIterator]();
    } catch (thrown) {
      const error = answerFor(this.#handling, context, thrown);
      countCall(this.#handling, context, this.#startMs, error);
      this.#local.close();
      throw error;
    }
  }

  readonly #onResult = (result: IteratorResult<MessageInitShape<DescMessage>>): void => {
    if (this.#end !== undefined) return;
    if (result.done === true) {
      this.#finish(undefined);
      return;
    }
    try {
      const value = outputOf(this.method.output, this.#mounted, result.value);
      this.#settle((waiting) => waiting.resolve({ done: false, value }));
    } catch (thrown) {
      this.#onError(thrown);
    }
  };

  readonly #onError = (thrown: unknown): void => {
    const error = answerFor(this.#handling, this.#local.context, thrown);
    if (this.#end === undefined) this.#finish(error);
  };

  #onAbort(reason: unknown): void {
    this.#finish(this.#local.failure(reason));
    // Runs the handler's `finally` as soon as its current wait ends.
    this.#source.return?.().catch(this.#onError);
  }

  #finish(error: ConnectError | undefined): void {
    this.#end = { error };
    countCall(this.#handling, this.#local.context, this.#startMs, error);
    this.#local.close();
    if (error === undefined) this.#settle((waiting) => waiting.resolve({ done: true, value: undefined }));
    else this.#settle((waiting) => waiting.reject(error));
  }

  #settle(by: (waiting: PromiseWithResolvers<IteratorResult<MessageShape<O>, undefined>>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) by(waiting);
  }
}
