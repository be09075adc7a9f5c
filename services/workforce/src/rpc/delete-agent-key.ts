import { onBehalfOf } from "@muster/rpc";
import { deleteKey } from "../dispatch/hire/agent-keys.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import type { Handler } from "./handler.ts";
import { managedAgent } from "./managed-agent.ts";

export const deleteAgentKey: Handler<"deleteAgentKey"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  await deleteKey(context, keyOfAgent(agent), request.keyId, onBehalfOf(call));
  return {};
};
