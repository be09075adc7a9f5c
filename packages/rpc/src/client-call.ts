import type {
  DescMessage,
  DescMethodStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ChannelInterface, Metadata, status as Status, type StatusObject } from "@grpc/grpc-js";
import { CallTarget } from "./balancing/call-target.ts";
import { type Silence, SilenceWatch } from "./balancing/silence-watch.ts";
import { decode, encode } from "./codec.ts";
import { fromStatus } from "./grpc-status.ts";
import { abortError, deadlineError, methodPath } from "./handling.ts";
import { toMetadata } from "./metadata.ts";
import { markFate } from "./repeats.ts";
import { isRepeatable } from "./service-config.ts";

export type Method<I extends DescMessage, O extends DescMessage> =
  | DescMethodUnary<I, O>
  | DescMethodStreaming<I, O>;

/** The parameters of a call. `requests`: those of a bidirectional one. */
export type OutgoingCall<I extends DescMessage, O extends DescMessage> = CallParameters<I, O> &
  ({ readonly message: MessageInitShape<I> } | { readonly requests: AsyncIterable<MessageInitShape<I>> });

interface CallParameters<I extends DescMessage, O extends DescMessage> {
  readonly method: Method<I, O>;
  readonly header: HeadersInit | undefined;
  /** When it must have ended, in milliseconds since 1970. Infinity means never. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** Where it must go, if that matters. */
  readonly target?: CallTarget;
}

/** Receives the parts of a call in this order: header at most once, messages with their sizes, end exactly once. */
export interface CallListener<O extends DescMessage> {
  onHeader(header: Metadata): void;
  onMessage(message: MessageShape<O>, bytes: number): void;
  /** No error means that the server ended the call in order. */
  onEnd(error: ConnectError | undefined, trailer: Metadata): void;
}

/** One started call on a grpc-js channel. */
export interface ClientCall {
  /** Asks for one more message. At most one request may be open. */
  read(): void;
  /** Cancels the call: the server need not send the rest. */
  cancel(): void;
}

/**
 * Starts a call below grpc-js's client classes: those wrap every message in a Node stream and every call in a
 * captured stack trace. With `silence`, it fails with UNAVAILABLE if its instance goes silent, soon if it can be repeated on
 * another. Throws errors that are known before sending.
 */
export function startCall<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  outgoing: OutgoingCall<I, O>,
  listener: CallListener<O>,
  silence?: Silence,
): ClientCall {
  const { method, signal, deadlineMs } = outgoing;
  if (signal?.aborted) throw abortError(signal.reason);
  const bytes = "message" in outgoing ? encode(method.input, outgoing.message, "request") : undefined;
  const call = channel.createCall(methodPath(method), deadlineMs, null, null, null);
  let ownFailure: ConnectError | undefined;
  const stop = (error: ConnectError) => {
    ownFailure ??= error;
    call.cancelWithStatus(Status.CANCELLED, error.rawMessage);
  };
  const onAbort = () => stop(abortError(signal?.reason));
  signal?.addEventListener("abort", onAbort, { once: true });
  const metadata = toMetadata(outgoing.header);
  const target = outgoing.target ?? (silence === undefined ? undefined : new CallTarget());
  if (target !== undefined) metadata.setOptions(target);
  const watch =
    silence === undefined || target === undefined
      ? undefined
      : new SilenceWatch(silence, { target, canMove: isRepeatable(method) }, stop);
  call.start(metadata, {
    onReceiveMetadata(header) {
      watch?.heard();
      listener.onHeader(header);
    },
    onReceiveMessage(received: Buffer) {
      const message = tryDecode(method.output, received);
      if (message instanceof ConnectError) stop(message);
      else listener.onMessage(message, received.length);
    },
    onReceiveStatus(status) {
      watch?.heard();
      signal?.removeEventListener("abort", onAbort);
      sending?.leave();
      listener.onEnd(ownFailure ?? failureOf(status), status.metadata);
    },
  });
  const sending = "requests" in outgoing ? new Sending(call, method.input, outgoing.requests) : undefined;
  if (bytes !== undefined) {
    call.sendMessageWithContext({}, bytes);
    call.halfClose();
  }
  sending?.run().catch((error) => stop(ConnectError.from(error)));
  return {
    read: () => call.startRead(),
    cancel: () => stop(new ConnectError("The stream was left before its end.", Code.Canceled)),
  };
}

/** Sends the requests of a bidirectional call, the next one when the connection has accepted the one before. */
class Sending<I extends DescMessage> {
  readonly #call: SentCall;
  readonly #input: I;
  readonly #requests: AsyncIterator<MessageInitShape<I>>;
  #isOver = false;

  constructor(call: SentCall, input: I, requests: AsyncIterable<MessageInitShape<I>>) {
    this.#call = call;
    this.#input = input;
    this.#requests = requests[Symbol.asyncIterator]();
  }

  /** Rejects with the error of the requests. */
  async run(): Promise<void> {
    while (true) {
      const next = await this.#requests.next();
      if (this.#isOver) return;
      if (next.done === true) break;
      const bytes = encode(this.#input, next.value, "request");
      await new Promise<void>((resolve) =>
        this.#call.sendMessageWithContext({ callback: () => resolve() }, bytes),
      );
    }
    this.#call.halfClose();
  }

  /** The call has ended: the rest need not be sent. */
  leave(): void {
    this.#isOver = true;
    this.#requests.return?.().catch(() => undefined);
  }
}

type SentCall = Pick<ReturnType<ChannelInterface["createCall"]>, "sendMessageWithContext" | "halfClose">;

function tryDecode<O extends DescMessage>(desc: O, bytes: Buffer): MessageShape<O> | ConnectError {
  try {
    return decode(desc, bytes, Code.Internal);
  } catch (error) {
    return ConnectError.from(error, Code.Internal);
  }
}

function failureOf(status: StatusObject): ConnectError | undefined {
  if (status.code === Status.OK) return undefined;
  // The message of grpc-js contains addresses, which must not reach the edge.
  if (status.code === Status.DEADLINE_EXCEEDED) return deadlineError();
  return markFate(fromStatus(status), status);
}

export const noMetadata = new Metadata();
