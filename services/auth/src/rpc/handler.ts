import type { RpcHandler } from "@muster/rpc";
import type { AuthContext } from "../context.ts";

/** One RPC: who is calling, what do they ask, do it, answer. Throws `rpcError` on purpose and nothing else. */
export type Handler<Request, Response> = RpcHandler<AuthContext, Request, Response>;
