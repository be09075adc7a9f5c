import { create } from "@bufbuild/protobuf";
import { ListApiKeysResponseSchema } from "@muster/proto/auth";
import { keyAdminOf, keyScopeOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { toApiKey } from "./messages.ts";

export const listApiKeys: Handler<"listApiKeys"> = async (context, holder, call) => {
  const caller = keyAdminOf(call, holder);
  const keys = await context.keys.list(keyScopeOf(caller), holder);
  return create(ListApiKeysResponseSchema, { apiKeys: keys.map(toApiKey) });
};
