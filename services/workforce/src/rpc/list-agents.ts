import { create } from "@bufbuild/protobuf";
import { ListAgentsResponseSchema } from "@muster/proto/workforce";
import { pageOf, readPage } from "@muster/rpc";
import { managerOf } from "../input/caller.ts";
import { showHiredAgent } from "../views/agent-view.ts";
import { reachedLimitsIn } from "../views/check-limits.ts";
import type { Handler } from "./handler.ts";

export const listAgents: Handler<"listAgents"> = async (context, request, call) => {
  const { projectId } = managerOf(call);
  const { size, before } = readPage(request);
  const { items, nextCursor } = pageOf(await context.agents.list(projectId, size + 1, before), size);
  const findLimit = reachedLimitsIn(context, projectId);
  const agents = await Promise.all(items.map((agent) => showHiredAgent(context, agent, findLimit)));
  return create(ListAgentsResponseSchema, { agents, nextCursor });
};
