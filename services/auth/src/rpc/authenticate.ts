import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AuthenticateRequest,
  type AuthenticateResponse,
  AuthenticateResponseSchema,
} from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { AuthContext } from "../context.ts";
import { hashCredential, isCredential, sameHash } from "../credential.ts";
import { type ApiKeyDocument, isUsable } from "../store/documents.ts";
import type { Handler } from "./handler.ts";

/** The only call without authentication. */
export const authenticate: Handler<AuthenticateRequest, AuthenticateResponse> = async (context, request) => {
  const key = await findUsableKey(context, request.credential);
  if (!key) throw unauthenticated();
  context.lastUse.note(key);
  return create(AuthenticateResponseSchema, {
    principal: {
      projectId: key.projectId,
      keyId: key._id,
      permissions: key.permissions,
      anyProject: key.anyProject,
      ...(key.agentId === undefined ? {} : { agentId: key.agentId }),
      ...(key.expiresAt ? { expireTime: timestampFromDate(key.expiresAt) } : {}),
    },
  });
};

/** One message for all causes, so that nothing can be probed. */
export function unauthenticated() {
  return rpcError(Reason.UNAUTHENTICATED, "Send a valid API key as Authorization: Bearer <API_KEY>.");
}

async function findUsableKey(context: AuthContext, credential: string): Promise<ApiKeyDocument | undefined> {
  if (!isCredential(credential)) return undefined;
  const hash = hashCredential(credential);
  const key = await context.keys.findByHash(hash);
  return key && sameHash(key.hash, hash) && isUsable(key, context.clock.now()) ? key : undefined;
}
