import type { ApiKey } from "@muster/proto/auth";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";

/** The public fields of a key, without its secret. */
export function keyJson(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    projectId: key.projectId,
    agentId: key.agentId ?? null,
    createdAt: isoOf(key.createdAt),
    expiresAt: optionalIsoOf(key.expiresAt),
  };
}
