import { create } from "@bufbuild/protobuf";
import { GetAgentHeadResponseSchema } from "@muster/proto/agents";
import { noSuchAgent } from "@muster/rpc";
import { assertReaches, runnerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { findRunnable } from "./lookups.ts";

export const getAgentHead: Handler<"getAgentHead"> = async (context, { by }, call) => {
  const caller = runnerOf(call);
  const agent =
    by.case === "slug"
      ? await context.agents.findActive(caller.projectId, { slug: by.value })
      : await findRunnable(context, caller, by.value ?? "");
  assertReaches(caller, agent?._id ?? (by.case === "agentId" ? by.value : ""));
  if (agent === null) throw noSuchAgent(by.case === "agentId" ? by.value : undefined);
  return create(GetAgentHeadResponseSchema, {
    agentId: agent._id,
    projectId: agent.projectId,
    slug: agent.slug,
    version: agent.latestVersion,
    archived: agent.state === "archived",
  });
};
