import { create } from "@bufbuild/protobuf";
import { ReadHiredAgentResponseSchema } from "@muster/proto/workforce";
import { showHiredAgent } from "../views/agent-view.ts";
import type { Handler } from "./handler.ts";
import { managedAgent } from "./managed-agent.ts";

export const readHiredAgent: Handler<"readHiredAgent"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  return create(ReadHiredAgentResponseSchema, { agent: await showHiredAgent(context, agent) });
};
