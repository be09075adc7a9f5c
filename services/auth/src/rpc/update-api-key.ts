import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import { UpdateApiKeyResponseSchema } from "@muster/proto/auth";
import { adminOf, checkLimits, Issues, invalidRequest } from "@muster/rpc";
import { announceProjectChange } from "../events.ts";
import { keyScopeOf } from "./caller.ts";
import { unknownKey } from "./delete-api-key.ts";
import type { Handler } from "./handler.ts";
import { toApiKey } from "./messages.ts";
import { readSpendingChanges } from "./update-project.ts";

export const updateApiKey: Handler<"updateApiKey"> = async (context, { id, limits = {} }, call) => {
  const scope = keyScopeOf(adminOf(call));
  const issues = new Issues();
  const changes = checkLimits(issues, readSpendingChanges(limits));
  issues.refuse();
  const key = await context.keys.findIn(scope, id);
  if (key === null || key.computerId !== undefined) throw unknownKey();
  // Its use in other projects would not count.
  if (key.anyProject) throw invalidRequest("limits", "cannot be set for a key that may act in any project");
  const entry = context.auditEntry(call, "key.update", {
    ...{ projectId: key.projectId, target: key._id },
    ...{ before: sameFields(key.limits ?? {}, changes), after: changes },
  });
  const changed = await context.keys.changeLimits(key, changes, entry);
  if (changed === null) throw unknownKey();
  await announceProjectChange(context, key.projectId);
  return create(UpdateApiKeyResponseSchema, { apiKey: toApiKey(changed) });
};
