import { create } from "@bufbuild/protobuf";
import { ListIdentityProvidersResponseSchema } from "@muster/proto/auth";
import { adminOf } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toIdentityProvider } from "./messages.ts";

export const listIdentityProviders: Handler<"listIdentityProviders"> = async (context, _request, call) => {
  const { projectId } = adminOf(call);
  const providers = await context.identityProviders.list(projectId);
  return create(ListIdentityProvidersResponseSchema, {
    identityProviders: providers.map(toIdentityProvider),
  });
};
