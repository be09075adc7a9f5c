import type { SessionsService } from "@muster/proto/sessions";
import type { RpcHandler } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";

type Methods = (typeof SessionsService)["method"];

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Name extends keyof Methods> = RpcHandler<SessionsContext, Methods[Name]>;
