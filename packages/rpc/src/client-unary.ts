import type { DescMessage, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type UnaryResponse } from "@connectrpc/connect";
import type { ChannelInterface, Metadata } from "@grpc/grpc-js";
import { noMetadata, type OutgoingCall, startCall } from "./client-call.ts";
import { toHeaders } from "./metadata.ts";

/** Makes a unary call. */
export function callUnary<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  method: DescMethodUnary<I, O>,
  outgoing: OutgoingCall<I, O>,
): Promise<UnaryResponse<I, O>> {
  return new Promise((resolve, reject) => {
    let header = noMetadata;
    let message: MessageShape<O> | undefined;
    const call = startCall(channel, outgoing, {
      onHeader(received) {
        header = received;
      },
      onMessage(received) {
        message = received;
        // The end of the stream is only seen while somebody reads.
        call.read();
      },
      onEnd(error, trailer) {
        if (error !== undefined) reject(error);
        else if (message === undefined)
          reject(new ConnectError("The server sent no response.", Code.Internal));
        else resolve(new Response(method, message, header, trailer));
      },
    });
    call.read();
  });
}

/** Few callers look at headers, so they are converted when asked for. */
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
