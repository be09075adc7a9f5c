import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKey } from "@muster/proto/auth";
import type { AgentKeySchema } from "@muster/proto/workforce";

/** A key of the auth service as a key of an agent. */
export function showKey({
  id,
  name,
  createdAt,
  expiresAt,
  lastUsedAt,
}: ApiKey): MessageInitShape<typeof AgentKeySchema> {
  return {
    id,
    name,
    ...(createdAt && { createdAt }),
    ...(expiresAt && { expiresAt }),
    ...(lastUsedAt && { lastUsedAt }),
  };
}
