import { create } from "@bufbuild/protobuf";
import { ListProviderKeysResponseSchema } from "@muster/proto/auth";
import { adminOf } from "@muster/rpc";
import { projectFor } from "../project-secrets.ts";
import type { Handler } from "./handler.ts";
import { toProviderKey } from "./messages.ts";

export const listProviderKeys: Handler<"listProviderKeys"> = async (context, request, call) => {
  const projectId = await projectFor(context, adminOf(call), request.projectId);
  const keys = await context.providerKeys.list(projectId);
  return create(ListProviderKeysResponseSchema, { providerKeys: keys.map(toProviderKey) });
};
