import type { ApiKey } from "@muster/proto/auth";

/** A key of the auth service as a key of an agent, or as a token of a computer. */
export function showKey({ id, name, createdAt, expiresAt, lastUsedAt }: ApiKey) {
  return {
    id,
    name,
    ...(createdAt && { createdAt }),
    ...(expiresAt && { expiresAt }),
    ...(lastUsedAt && { lastUsedAt }),
  };
}
