import type { ServerResponse } from "node:http";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { readRpcError } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { streamCallFor } from "../../auth/identity.ts";
import type { GatewayContext } from "../../context.ts";

/** A read that loses its instance after its first message begins again at most this often. */
const maxRestarts = 2;

/**
 * The messages of a read, each passed on when the next one or the end has arrived: a call repeats itself only before its
 * first message, and most reads consist of one. The deadline is for passing on the first one: the rest takes as long as the
 * reader does.
 */
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
    for (let restarts = 0; ; restarts++) {
      let held: { message: Message } | undefined;
      let hasYielded = false;
      try {
        for await (const message of open(streamCallFor(request, ending.signal))) {
          if (held !== undefined) {
            clearTimeout(deadline);
            hasYielded = true;
            yield held.message;
          }
          held = { message };
        }
      } catch (error) {
        const isLost = held !== undefined && readRpcError(error).code === Code.Unavailable;
        if (!isLost || hasYielded || restarts === maxRestarts) throw error;
        continue;
      }
      if (held !== undefined) yield held.message;
      return;
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
