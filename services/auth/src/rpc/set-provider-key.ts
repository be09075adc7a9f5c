import { create } from "@bufbuild/protobuf";
import { SetProviderKeyResponseSchema } from "@muster/proto/auth";
import { adminOf, Issues } from "@muster/rpc";
import { checkPrintable, checkProvider } from "../fields.ts";
import { setProjectSecret } from "../project-secrets.ts";
import type { Handler } from "./handler.ts";
import { toProviderKey } from "./messages.ts";

export const setProviderKey: Handler<"setProviderKey"> = async (
  context,
  { projectId, provider, key },
  call,
) => {
  adminOf(call);
  const issues = new Issues();
  checkProvider(issues, provider);
  checkPrintable(issues, "key", key);
  issues.refuse();
  const secret = { projectId, name: provider, secret: key };
  const stored = await setProjectSecret(context, call, "providerKeys", secret);
  return create(SetProviderKeyResponseSchema, { providerKey: toProviderKey(stored) });
};
