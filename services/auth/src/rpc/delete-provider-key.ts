import { create } from "@bufbuild/protobuf";
import { DeleteProviderKeyResponseSchema } from "@muster/proto/auth";
import { adminOf, Issues } from "@muster/rpc";
import { checkProvider } from "../fields.ts";
import { removeProjectSecret } from "../project-secrets.ts";
import type { Handler } from "./handler.ts";

export const deleteProviderKey: Handler<"deleteProviderKey"> = async (
  context,
  { projectId, provider },
  call,
) => {
  adminOf(call);
  const issues = new Issues();
  checkProvider(issues, provider);
  issues.refuse();
  const deleted = await removeProjectSecret(context, call, "providerKeys", { projectId, name: provider });
  return create(DeleteProviderKeyResponseSchema, { deleted });
};
