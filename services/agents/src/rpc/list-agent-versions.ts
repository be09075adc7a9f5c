import { create } from "@bufbuild/protobuf";
import { ListAgentVersionsResponseSchema } from "@muster/proto/agents";
import { readerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireReachable } from "./lookups.ts";
import { toVersion } from "./messages.ts";

export const listAgentVersions: Handler<"listAgentVersions"> = async (context, request, call) => {
  const caller = readerOf(call);
  const agent = await requireReachable(context, caller, parseRef(request.agent));
  const versions = await context.agents.listVersions(caller.projectId, agent._id, agent.latestVersion);
  return create(ListAgentVersionsResponseSchema, { versions: versions.map(toVersion) });
};
