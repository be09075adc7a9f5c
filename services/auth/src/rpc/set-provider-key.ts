import { create } from "@bufbuild/protobuf";
import { SetProviderKeyResponseSchema } from "@muster/proto/auth";
import { Issues, Reason, rpcError } from "@muster/rpc";
import { providerKeysChangedEvent } from "../events.ts";
import { checkProvider, checkProviderKey, lastFourOf, projectFor } from "../provider-key-request.ts";
import { adminOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { toProviderKey } from "./messages.ts";

export const setProviderKey: Handler<"setProviderKey"> = async (
  context,
  { projectId, provider, key },
  call,
) => {
  const caller = adminOf(call);
  const issues = new Issues();
  checkProvider(issues, provider);
  checkProviderKey(issues, key);
  issues.refuse();
  const name = { projectId: await projectFor(context, caller, projectId), provider };
  const { seal } = context.secretBox;
  if (seal === undefined) throw noSecretsKey();
  const sealed = { sealed: seal(key, [name.projectId, name.provider]), lastFour: lastFourOf(key) };
  const now = new Date(context.clock.now());
  const event = providerKeysChangedEvent(context, name.projectId);
  const stored = await context.providerKeys.set(name, sealed, now, event);
  context.providerKeyOutbox.wake();
  return create(SetProviderKeyResponseSchema, { providerKey: toProviderKey(stored) });
};

function noSecretsKey() {
  return rpcError(
    Reason.INVALID_REQUEST,
    "This installation cannot store keys of model providers, because it has nothing to encrypt them with. The operator must set MUSTER_SECRETS_KEY, for example to the output of openssl rand -hex 32.",
  );
}
