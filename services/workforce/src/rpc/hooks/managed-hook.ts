import type { HandlerContext } from "@connectrpc/connect";
import { revisionMismatch } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import type { HookDocument, HookKey } from "../../store/hook-document.ts";
import { unknownHook } from "../../store/refusals.ts";
import { managedAgent } from "../managed-agent.ts";

/** A hook of an agent that the caller manages. Throws NOT_FOUND. */
export async function managedHook(
  context: Pick<WorkforceContext, "agents" | "hooks">,
  { agentId, hookId }: { agentId: string; hookId: string },
  call: HandlerContext,
): Promise<HookDocument> {
  const agent = await managedAgent(context, agentId, call);
  const hook = await context.hooks.find({ ...keyOfAgent(agent), hookId });
  if (hook === null) throw unknownHook();
  return hook;
}

/** Why a change on the condition of a revision found nothing: NOT_FOUND or VERSION_MISMATCH. */
export async function refusalOfChange({ hooks }: Pick<WorkforceContext, "hooks">, key: HookKey) {
  const hook = await hooks.find(key);
  return hook === null ? unknownHook() : revisionMismatch("hook");
}
