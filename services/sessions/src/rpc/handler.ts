import type { HandlerContext } from "@connectrpc/connect";
import type { SessionsContext } from "../context.ts";

/** One RPC: who is calling, what do they ask, do it, answer. Throws `rpcError` on purpose and nothing else. */
export type Handler<Request, Response> = (
  context: SessionsContext,
  request: Request,
  call: HandlerContext,
) => Promise<Response>;
