import type { AuthService } from "@muster/proto/auth";
import type { RpcHandler } from "@muster/rpc";
import type { AuthContext } from "../context.ts";

type Methods = (typeof AuthService)["method"];

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Name extends keyof Methods> = RpcHandler<AuthContext, Methods[Name]>;
