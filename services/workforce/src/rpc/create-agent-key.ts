import { create } from "@bufbuild/protobuf";
import { CreateAgentKeyResponseSchema } from "@muster/proto/workforce";
import { Issues, onBehalfOf } from "@muster/rpc";
import { createKey } from "../dispatch/hire/agent-keys.ts";
import { checkName } from "../input/texts.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import { showKey } from "../views/show-key.ts";
import type { Handler } from "./handler.ts";
import { managedAgent } from "./managed-agent.ts";

export const createAgentKey: Handler<"createAgentKey"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  const { name, expiresAt } = request;
  const issues = new Issues();
  checkName(issues, "name", name);
  issues.refuse();
  const { apiKey, secret } = await createKey(
    context,
    keyOfAgent(agent),
    { name, expiresAt },
    onBehalfOf(call),
  );
  return create(CreateAgentKeyResponseSchema, { key: showKey(apiKey), secret });
};
