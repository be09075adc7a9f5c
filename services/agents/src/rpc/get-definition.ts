import { create } from "@bufbuild/protobuf";
import { GetDefinitionResponseSchema } from "@muster/proto/agents";
import { noSuchAgent } from "@muster/rpc";
import { assertReaches, runnerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { findRunnable, requireVersion } from "./lookups.ts";
import { toAgent } from "./messages.ts";

export const getDefinition: Handler<"getDefinition"> = async (context, request, call) => {
  const { agentId, slug } = request;
  const caller = runnerOf(call);
  const agent =
    slug === undefined
      ? await findRunnable(context, caller, agentId)
      : await context.agents.findActive(caller.projectId, { slug });
  assertReaches(caller, agent?._id ?? agentId);
  if (agent === null) throw noSuchAgent(slug === undefined ? agentId : undefined);
  const version = await requireVersion(context, agent, request.version);
  return create(GetDefinitionResponseSchema, {
    agent: toAgent(agent, version),
    archived: agent.state === "archived",
  });
};
