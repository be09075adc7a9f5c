import type { DescMessage, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type UnaryResponse } from "@connectrpc/connect";
import type { ChannelInterface, Metadata } from "@grpc/grpc-js";
import type { Silence } from "./balancing/silence-watch.ts";
import { type CallListener, noMetadata, type OutgoingCall, startCall } from "./client-call.ts";
import { toHeaders } from "./metadata.ts";
import { Repeats } from "./repeats.ts";
import type { Naming } from "./resolving/name-resolver.ts";
import { maxTriesOf } from "./service-config.ts";

type Outcome<I extends DescMessage, O extends DescMessage> =
  | { response: UnaryResponse<I, O> }
  | { error: ConnectError; hadHeader: boolean };

/**
 * Makes a unary call. grpc-js repeats calls that are safe to repeat until the first header arrives, if it takes their
 * failure for UNAVAILABLE. {@link Repeats} decides about the rest: a connection that breaks otherwise or after the header, an
 * instance that goes silent, and any call that a closing connection refuses or that found no instance.
 */
export async function callUnary<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  method: DescMethodUnary<I, O>,
  outgoing: OutgoingCall<I, O>,
  silence?: Silence,
  naming?: Naming,
): Promise<UnaryResponse<I, O>> {
  const { deadlineMs, signal } = outgoing;
  const repeats = new Repeats({ maxTries: maxTriesOf(method), deadlineMs, signal, naming, silence });
  while (true) {
    const outcome = await tryUnary(channel, method, outgoing, silence);
    if (!("error" in outcome)) return outcome.response;
    if (!(await repeats.allows(outcome.error, outcome.hadHeader))) throw outcome.error;
  }
}

function tryUnary<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  method: DescMethodUnary<I, O>,
  outgoing: OutgoingCall<I, O>,
  silence: Silence | undefined,
): Promise<Outcome<I, O>> {
  return new Promise((resolve) => {
    let header = noMetadata;
    let message: MessageShape<O> | undefined;
    const listener: CallListener<O> = {
      onHeader(received) {
        header = received;
      },
      onMessage(received) {
        message = received;
        // The end of the stream is noticed only while it is being read.
        call.read();
      },
      onEnd(error, trailer) {
        const failure = error ?? (message === undefined ? noResponse() : undefined);
        if (failure !== undefined) resolve({ error: failure, hadHeader: header !== noMetadata });
        else if (message !== undefined) resolve({ response: new Response(method, message, header, trailer) });
      },
    };
    const call = startCall(channel, outgoing, listener, silence);
    call.read();
  });
}

function noResponse(): ConnectError {
  return new ConnectError("The server sent no response.", Code.Internal);
}

/** Few callers read headers, so they are converted on demand. */
class Response<I extends DescMessage, O extends DescMessage> implements UnaryResponse<I, O> {
  readonly stream = false;
  readonly method: DescMethodUnary<I, O>;
  readonly message: MessageShape<O>;
  readonly #header: Metadata;
  readonly #trailer: Metadata;

  constructor(method: DescMethodUnary<I, O>, message: MessageShape<O>, header: Metadata, trailer: Metadata) {
    this.method = method;
    this.message = message;
    this.#header = header;
    this.#trailer = trailer;
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
}
