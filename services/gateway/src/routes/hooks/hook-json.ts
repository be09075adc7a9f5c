import type { Hook, HookDelivery } from "@muster/proto/hooks";
import type { Static } from "@muster/wire/schema";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import type { hookDeliveryReply, hookReply } from "../../schemas/hooks.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import { runConfigJson } from "../workforce/run-config.ts";

/** The path at which senders post events. */
export const receivingPath = "/hooks/";

/** The public fields of a hook. */
export function hookJson(hook: Hook | undefined): Static<typeof hookReply> {
  if (hook?.config === undefined) throw internalProblem(new Error("The response has no hook"));
  const { id, projectId, agentId, slug, name, message, enabled, managed, revision, filterJson } = hook;
  return {
    ...{ id, url: `${receivingPath}${id}`, projectId, agentId, slug, name },
    verify: { type: hook.verify?.type ?? "", earlierUntil: optionalIsoOf(hook.earlierUntil) },
    filter: filterJson === undefined ? null : JSON.parse(filterJson),
    message,
    threadKey: hook.threadKey ?? null,
    config: runConfigJson(hook.config),
    ...{ enabled, managed, revision },
    createdAt: isoOf(hook.createdAt),
    updatedAt: isoOf(hook.updatedAt),
  };
}

/** The public fields of a delivery. */
export function hookDeliveryJson(delivery: HookDelivery | undefined): Static<typeof hookDeliveryReply> {
  if (delivery === undefined) throw internalProblem(new Error("The response has no delivery"));
  const { id, hookId, status, bodyStart, bodyLength } = delivery;
  return {
    ...{ id, hookId, status },
    reason: delivery.reason ?? null,
    threadId: delivery.threadId ?? null,
    replayOf: delivery.replayOf ?? null,
    ...{ bodyStart, bodyLength },
    createdAt: isoOf(delivery.createdAt),
    settledAt: optionalIsoOf(delivery.settledAt),
  };
}
