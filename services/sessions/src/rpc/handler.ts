import { type CallPrincipal, isWorkforce, type RpcHandler } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Request, Response> = RpcHandler<SessionsContext, Request, Response>;

/** The sessions that exist for a caller: the workforce service has its own, which no other caller reaches. */
export function sessionsOf(context: SessionsContext, caller: CallPrincipal): SessionsContext {
  return isWorkforce(caller) ? context.hidden : context;
}
