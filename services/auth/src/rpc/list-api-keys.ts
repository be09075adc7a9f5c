import { create } from "@bufbuild/protobuf";
import {
  type ListApiKeysRequest,
  type ListApiKeysResponse,
  ListApiKeysResponseSchema,
} from "@muster/proto/auth";
import { adminOf, keyScopeOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { toApiKey } from "./messages.ts";

export const listApiKeys: Handler<ListApiKeysRequest, ListApiKeysResponse> = async (
  context,
  _request,
  call,
) => {
  const caller = adminOf(call);
  const keys = await context.keys.list(keyScopeOf(caller));
  return create(ListApiKeysResponseSchema, { apiKeys: keys.map(toApiKey) });
};
