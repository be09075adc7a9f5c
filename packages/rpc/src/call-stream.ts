import type { DescMessage, DescMethodStreaming, DescService, MessageShape } from "@bufbuild/protobuf";
import { ConnectError, type StreamResponse } from "@connectrpc/connect";
import type { ChannelInterface, Metadata } from "@grpc/grpc-js";
import type { Silence } from "./balancing/silence-watch.ts";
import {
  type CallListener,
  type ClientCall,
  noMetadata,
  type OutgoingCall,
  startCall,
} from "./client-call.ts";
import { toHeaders } from "./metadata.ts";
import { Repeats } from "./repeats.ts";
import type { Naming } from "./resolving/name-resolver.ts";
import { isRepeatable, maxTriesOf } from "./service-config.ts";

/** The messages that may wait for the reader. Beyond it, the connection's flow control slows the server. */
const maxBuffered = 8;
const maxBufferedBytes = 16 * 1024;

/**
 * Starts a call that streams responses; resolves once the server has begun to respond: with the header, or with the first message if
 * the call changes nothing. Until then, such a call is repeated if its instance goes silent or its connection breaks, and
 * any call if a closing connection refuses it, or if no instance is connected and `naming` finds others. A bidirectional one
 * is never repeated: its requests cannot be read again.
 */
export async function callStream<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  method: DescMethodStreaming<I, O>,
  outgoing: OutgoingCall<I, O>,
  silence?: Silence,
  naming?: Naming,
): Promise<StreamResponse<I, O>> {
  const { deadlineMs, signal } = outgoing;
  const repeats = new Repeats({ maxTries: maxTriesOf(method), deadlineMs, signal, naming, silence });
  while (true) {
    const stream = new ClientStream(method, isRepeatable(method));
    stream.begin(startCall(channel, outgoing, stream, silence));
    try {
      await stream.begun;
      return stream;
    } catch (error) {
      if ("requests" in outgoing || !(await repeats.allows(ConnectError.from(error), stream.hadHeader)))
        throw error;
    }
  }
}

/**
 * The receiving end of a server stream, which can be iterated once. Leaving the loop (`return`) cancels the
 * call.
 */
class ClientStream<I extends DescMessage, O extends DescMessage>
  implements StreamResponse<I, O>, CallListener<O>, AsyncIterableIterator<MessageShape<O>>
{
  readonly stream = true;
  readonly method: DescMethodStreaming<I, O>;
  readonly #begun = Promise.withResolvers<void>();
  readonly #buffered: { message: MessageShape<O>; bytes: number }[] = [];
  #bufferedBytes = 0;
  #waiting: PromiseWithResolvers<IteratorResult<MessageShape<O>, undefined>> | undefined;
  #end: { error: ConnectError | undefined } | undefined;
  #call: ClientCall | undefined;
  #isReading = false;
  #header: Metadata = noMetadata;
  #trailer: Metadata = noMetadata;
  readonly #beginsWithMessage: boolean;

  constructor(method: DescMethodStreaming<I, O>, beginsWithMessage: boolean) {
    this.method = method;
    this.#beginsWithMessage = beginsWithMessage;
  }

  get hadHeader(): boolean {
    return this.#header !== noMetadata;
  }

  get message(): AsyncIterable<MessageShape<O>> {
    return this;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get header(): Headers {
    return toHeaders(this.#header);
  }

  get trailer(): Headers {
    return toHeaders(this.#trailer);
  }

  /** Resolves once the call has begun, rejects when it ends with an error before. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  begin(call: ClientCall): void {
    this.#call = call;
    this.#read();
  }

  onHeader(header: Metadata): void {
    this.#header = header;
    if (!this.#beginsWithMessage) this.#begun.resolve();
  }

  onMessage(message: MessageShape<O>, bytes: number): void {
    this.#isReading = false;
    this.#begun.resolve();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) {
      this.#buffered.push({ message, bytes });
      this.#bufferedBytes += bytes;
    } else waiting.resolve({ done: false, value: message });
    this.#read();
  }

  onEnd(error: ConnectError | undefined, trailer: Metadata): void {
    this.#trailer = trailer;
    this.#end = { error };
    if (error === undefined) this.#begun.resolve();
    else this.#begun.reject(error);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (error === undefined) waiting?.resolve({ done: true, value: undefined });
    else waiting?.reject(error);
  }

  next(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    const buffered = this.#buffered.shift();
    if (buffered !== undefined) {
      this.#bufferedBytes -= buffered.bytes;
      this.#read();
      return Promise.resolve({ done: false, value: buffered.message });
    }
    if (this.#end?.error !== undefined) return Promise.reject(this.#end.error);
    if (this.#end !== undefined) return Promise.resolve({ done: true, value: undefined });
    // Readers that do not wait for one another take turns.
    if (this.#waiting !== undefined) return this.#waiting.promise.then(() => this.next());
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    this.#buffered.length = 0;
    if (this.#end === undefined) this.#call?.cancel();
    this.#end = { error: undefined };
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #read(): void {
    if (this.#isReading || this.#end !== undefined) return;
    if (this.#buffered.length >= maxBuffered || this.#bufferedBytes >= maxBufferedBytes) return;
    this.#isReading = true;
    this.#call?.read();
  }
}
