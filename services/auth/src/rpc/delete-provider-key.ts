import { create } from "@bufbuild/protobuf";
import { DeleteProviderKeyResponseSchema } from "@muster/proto/auth";
import { Issues } from "@muster/rpc";
import { providerKeysChangedEvent } from "../events.ts";
import { checkProvider, projectFor } from "../provider-key-request.ts";
import { adminOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const deleteProviderKey: Handler<"deleteProviderKey"> = async (
  context,
  { projectId, provider },
  call,
) => {
  const caller = adminOf(call);
  const issues = new Issues();
  checkProvider(issues, provider);
  issues.refuse();
  const name = { projectId: await projectFor(context, caller, projectId), provider };
  const event = providerKeysChangedEvent(context, name.projectId);
  const deleted = await context.providerKeys.remove(name, new Date(context.clock.now()), event);
  if (deleted) context.providerKeyOutbox.wake();
  return create(DeleteProviderKeyResponseSchema, { deleted });
};
