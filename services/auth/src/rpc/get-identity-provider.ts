import { create } from "@bufbuild/protobuf";
import { GetIdentityProviderResponseSchema } from "@muster/proto/auth";
import { adminOf, Reason, rpcError } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toIdentityProvider } from "./messages.ts";

export const getIdentityProvider: Handler<"getIdentityProvider"> = async (context, { id }, call) => {
  const { projectId } = adminOf(call);
  const provider = await context.identityProviders.find(projectId, id);
  if (provider === null) throw unknownIdentityProvider();
  return create(GetIdentityProviderResponseSchema, { identityProvider: toIdentityProvider(provider) });
};

/** Also thrown for another project's, so that its existence does not leak. */
export function unknownIdentityProvider() {
  return rpcError(Reason.NOT_FOUND, "The identity provider does not exist in this project.");
}
