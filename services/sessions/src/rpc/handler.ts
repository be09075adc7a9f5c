import type { RpcHandler } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";

/** One RPC: who is calling, what do they ask, do it, respond. The only errors that it throws deliberately are `rpcError`s. */
export type Handler<Request, Response> = RpcHandler<SessionsContext, Request, Response>;
