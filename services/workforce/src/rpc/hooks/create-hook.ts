import { create } from "@bufbuild/protobuf";
import { CreateHookResponseSchema } from "@muster/proto/hooks";
import { Reason, rpcError } from "@muster/rpc";
import { checkedConfig } from "../../dispatch/start-thread.ts";
import { readHook } from "../../input/read-hook.ts";
import { insertNamed } from "../../input/slug.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import { type HookDocument, keyOfHook } from "../../store/hook-document.ts";
import { unknownAgent } from "../../store/refusals.ts";
import { showHook } from "../../views/show-hook.ts";
import { rotateSecret } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";

const maxHooks = 50;

export const createHook: Handler<"createHook"> = async (context, request, call) => {
  const { slug, verify, settings } = readHook(request);
  const agent = await managedAgent(context, request.agentId, call);
  await checkedConfig(context, agent, settings.config);
  const key = keyOfAgent(agent);
  if ((await context.hooks.count(key)) >= maxHooks) throw tooMany();
  const now = new Date(context.clock.now());
  const owner = { projectId: key.projectId, _id: context.newId("hok"), kind: "hooks" } as const;
  const created: HookDocument = {
    ...{ ...key, _id: owner._id, ...settings, slug: "" },
    verifyType: verify.type,
    secrets: rotateSecret(context, owner, [], verify.secret).secrets,
    ...{ createdAt: now, updatedAt: now },
    audit: [
      context.auditEntry(call, "hook.create", {
        ...{ projectId: key.projectId, target: owner._id, after: { ...settings, verifyType: verify.type } },
      }),
    ],
  };
  const naming = { slug, name: settings.name, kind: "hook of the agent" };
  const hook = await insertNamed(created, naming, context.hooks.insert);
  // The agent's hooks may have been removed meanwhile.
  if ((await context.agents.find(key)) === null) {
    const change = { projectId: key.projectId, target: hook._id };
    await context.hooks.bury(keyOfHook(hook), context.auditEntry(call, "hook.delete", change));
    throw unknownAgent();
  }
  return create(CreateHookResponseSchema, { hook: showHook(hook, now) });
};

function tooMany() {
  const message = `The agent has ${maxHooks} hooks already. Delete one that is not needed.`;
  return rpcError(Reason.INVALID_REQUEST, message);
}
