import { create } from "@bufbuild/protobuf";
import { ListHooksResponseSchema } from "@muster/proto/hooks";
import { keyOfAgent } from "../../store/agent-document.ts";
import { showHook } from "../../views/show-hook.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";

export const listHooks: Handler<"listHooks"> = async (context, { agentId }, call) => {
  const agent = await managedAgent(context, agentId, call);
  const hooks = await context.hooks.list(keyOfAgent(agent));
  const now = new Date(context.clock.now());
  return create(ListHooksResponseSchema, { hooks: hooks.map((hook) => showHook(hook, now)) });
};
