import type { AgentKey } from "@muster/proto/workforce";
import { isoOf, optionalIsoOf } from "../../../schemas/iso.ts";

/** A key of a workforce agent, without its secret. */
export function agentKeyJson({ id, name, createdAt, expiresAt }: AgentKey) {
  return { id, name, createdAt: isoOf(createdAt), expiresAt: optionalIsoOf(expiresAt) };
}
