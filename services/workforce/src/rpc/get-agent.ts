import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { GetAgentResponseSchema } from "@muster/proto/workforce";
import { callerOf } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { agentOf } from "../input/caller.ts";
import { idOfSlug } from "../input/slug.ts";
import { unknownAgent, unknownSlug } from "../store/refusals.ts";
import { showAgent } from "../views/agent-view.ts";
import type { Handler } from "./handler.ts";

export const getAgent: Handler<"getAgent"> = async (context, { agentId, slug }, call) => {
  const id = slug === "" ? agentId : await idOf(context, slug, call);
  const agent = await context.agents.find(agentOf(call, id));
  if (agent === null) throw slug === "" ? unknownAgent() : unknownSlug(slug);
  return create(GetAgentResponseSchema, { agent: await showAgent(context, agent) });
};

async function idOf({ agents }: WorkforceContext, slug: string, call: HandlerContext): Promise<string> {
  const agent = await agents.findBySlug(callerOf(call).projectId, slug);
  return agent?._id ?? idOfSlug(slug);
}
