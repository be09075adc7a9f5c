import type { ServerResponse } from "node:http";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import { type GatewayContext, streamCallFor } from "../../context.ts";

/** The messages of a read. The deadline is for the first one: the rest takes as long as the reader does. */
export async function* readStream<Message>(
  { callTimeoutMs }: Pick<GatewayContext, "callTimeoutMs">,
  request: FastifyRequest,
  response: ServerResponse,
  open: (options: CallOptions) => AsyncIterable<Message>,
): AsyncGenerator<Message, void, undefined> {
  const ending = new AbortController();
  const end = () => ending.abort();
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    end();
  }, callTimeoutMs - request.waitedMs);
  response.once("close", end);
  try {
    for await (const message of open(streamCallFor(request, ending.signal))) {
      clearTimeout(deadline);
      yield message;
    }
  } catch (error) {
    if (!isLate) throw error;
    throw new ConnectError("The sessions service did not respond in time", Code.DeadlineExceeded);
  } finally {
    clearTimeout(deadline);
    response.off("close", end);
    end();
  }
}
