import { create } from "@bufbuild/protobuf";
import { GetAgentResponseSchema } from "@muster/proto/agents";
import { readerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireReachable, requireVersion } from "./lookups.ts";
import { toAgent } from "./messages.ts";

export const getAgent: Handler<"getAgent"> = async (context, request, call) => {
  const agent = await requireReachable(context, readerOf(call), parseRef(request.agent));
  const version = await requireVersion(context, agent, request.version);
  return create(GetAgentResponseSchema, { agent: toAgent(agent, version) });
};
