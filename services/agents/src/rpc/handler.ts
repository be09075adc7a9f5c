import type { AgentsService } from "@muster/proto/agents";
import type { RpcHandler } from "@muster/rpc";
import type { AgentsContext } from "../context.ts";

type Methods = (typeof AgentsService)["method"];

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Name extends keyof Methods> = RpcHandler<AgentsContext, Methods[Name]>;
