import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import { UpdateHookResponseSchema } from "@muster/proto/hooks";
import type { WorkforceContext } from "../../context.ts";
import { checkedConfig } from "../../dispatch/start-thread.ts";
import { type GivenVerification, readHookChanges } from "../../input/read-hook.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import { type HookDocument, keyOfHook } from "../../store/hook-document.ts";
import type { HookChanges } from "../../store/hook-store.ts";
import { showHook } from "../../views/show-hook.ts";
import { openSecrets, rotateSecret } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";
import { managedHook, refusalOfChange } from "./managed-hook.ts";

export const updateHook: Handler<"updateHook"> = async (context, request, call) => {
  const { changes, verify } = readHookChanges(request);
  const hook = await managedHook(context, request, call);
  const agent = await managedAgent(context, request.agentId, call);
  if (changes.config) await checkedConfig(context, agent, changes.config);
  const key = { ...keyOfAgent(agent), hookId: hook._id };
  const now = new Date(context.clock.now());
  const expected = request.expectedRevisions;
  const all = { ...changes, ...(verify && verification(context, hook, verify, now)) };
  const after = { ...changes, ...(verify && { verifyType: verify.type }) };
  const entry = context.auditEntry(call, "hook.update", {
    ...{ projectId: hook.projectId, target: hook._id, before: sameFields(hook, after), after },
  });
  const updated = await context.hooks.update(keyOfHook(hook), all, now, entry, expected);
  if (updated === null) throw await refusalOfChange(context, key);
  return create(UpdateHookResponseSchema, { hook: showHook(updated, now) });
};

/** The earlier secret is valid as well for a day, unless its senders prove it in another way. */
function verification(
  context: WorkforceContext,
  { _id, projectId, verifyType, secrets }: HookDocument,
  { type, secret }: GivenVerification,
  now: Date,
): Pick<HookChanges, "verifyType" | "secrets"> {
  const owner = { _id, projectId, kind: "hooks" } as const;
  const opened = openSecrets(context, owner, secrets, now);
  const isSame = type === verifyType && "secrets" in opened && opened.secrets[0]?.reveal() === secret;
  if (isSame) return {};
  const earlier = type === verifyType ? secrets : [];
  return { verifyType: type, secrets: rotateSecret(context, owner, earlier, secret).secrets };
}
