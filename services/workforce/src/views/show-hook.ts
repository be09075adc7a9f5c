import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { HookDeliverySchema, HookSchema } from "@muster/proto/hooks";
import { revisionOf } from "@muster/store";
import type { ListedHookDelivery } from "../store/hook-delivery-store.ts";
import type { HookDocument } from "../store/hook-document.ts";
import { showConfig } from "./agent-view.ts";

export function showHook(hook: HookDocument, now: Date) {
  const { _id: id, projectId, agentId, slug, name, message, threadKey, filter, enabled, managed } = hook;
  const [, earlier] = hook.secrets;
  return create(HookSchema, {
    ...{ id, projectId, agentId, slug, name, message, enabled, managed: managed ?? false },
    verify: { type: hook.verifyType },
    ...(earlier?.until !== undefined &&
      earlier.until > now && { earlierUntil: timestampFromDate(earlier.until) }),
    ...(filter && { filterJson: JSON.stringify(filter) }),
    ...(threadKey !== undefined && { threadKey }),
    config: showConfig(hook.config),
    revision: revisionOf(hook),
    createdAt: timestampFromDate(hook.createdAt),
    updatedAt: timestampFromDate(hook.updatedAt),
  });
}

export function showHookDelivery(delivery: ListedHookDelivery) {
  const { _id: id, hookId, status, reason, threadId, replayOf, bodyStart, bodyLength, settledAt } = delivery;
  return create(HookDeliverySchema, {
    ...{ id, hookId, status, bodyStart, bodyLength },
    ...(reason !== undefined && { reason }),
    ...(threadId !== undefined && { threadId }),
    ...(replayOf !== undefined && { replayOf }),
    createdAt: timestampFromDate(delivery.createdAt),
    ...(settledAt && { settledAt: timestampFromDate(settledAt) }),
  });
}
