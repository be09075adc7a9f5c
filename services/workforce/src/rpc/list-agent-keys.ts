import { create } from "@bufbuild/protobuf";
import { ListAgentKeysResponseSchema } from "@muster/proto/workforce";
import { listKeys } from "../dispatch/hire/agent-keys.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import { showKey } from "../views/show-key.ts";
import type { Handler } from "./handler.ts";
import { managedAgent } from "./managed-agent.ts";

export const listAgentKeys: Handler<"listAgentKeys"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  const keys = await listKeys(context, keyOfAgent(agent));
  return create(ListAgentKeysResponseSchema, { keys: keys.map(showKey) });
};
