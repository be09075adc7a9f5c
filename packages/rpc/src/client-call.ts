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

/** The parameters of a call. */
export interface OutgoingCall<I extends DescMessage, O extends DescMessage> {
  readonly method: Method<I, O>;
  readonly message: MessageInitShape<I>;
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
  const bytes = encode(method.input, outgoing.message, "request");
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
      listener.onEnd(ownFailure ?? failureOf(status), status.metadata);
    },
  });
  call.sendMessageWithContext({}, bytes);
  call.halfClose();
  return {
    read: () => call.startRead(),
    cancel: () => stop(new ConnectError("The stream was left before its end.", Code.Canceled)),
  };
}

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
