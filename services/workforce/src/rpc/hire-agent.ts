import { create } from "@bufbuild/protobuf";
import { HireAgentResponseSchema } from "@muster/proto/workforce";
import { hire } from "../dispatch/hire/hire.ts";
import { readHire } from "../dispatch/hire/read-hire.ts";
import { managerOf } from "../input/caller.ts";
import { showHiredAgent } from "../views/agent-view.ts";
import type { Handler } from "./handler.ts";

export const hireAgent: Handler<"hireAgent"> = async (context, request, call) => {
  const { projectId } = managerOf(call);
  const command = readHire(request);
  const { agent, ...made } = await hire(context, call, projectId, command);
  return create(HireAgentResponseSchema, { agent: await showHiredAgent(context, agent), ...made });
};
