import type { RpcHandler } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Request, Response> = RpcHandler<SessionsContext, Request, Response>;
