import type { Computer, ComputerToken } from "@muster/proto/computers";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";

export function computerJson(computer: Computer | undefined) {
  if (!computer) throw internalProblem(new Error("the workforce service returned no computer"));
  const { id, name, kind, os, state, shared, agentIds, runtimeVersion, region } = computer;
  return {
    ...{ id, name, kind, os, state, shared, agentIds },
    runtimeVersion: runtimeVersion ?? null,
    region: region ?? null,
    connectedAt: optionalIsoOf(computer.connectedAt),
    lastSeenAt: optionalIsoOf(computer.lastSeenAt),
    createdAt: isoOf(computer.createdAt),
  };
}

/** A token without its secret. */
export function computerTokenJson({ id, name, createdAt, expiresAt }: ComputerToken) {
  return { id, name, createdAt: isoOf(createdAt), expiresAt: optionalIsoOf(expiresAt) };
}

/** Where the tokens of a computer are: below the computer, and below the workforce agent whose computer it is. */
export const tokenPlaces = [
  { url: "/api/admin/computers/:id/tokens", operation: "ComputerToken", case: "computerId" },
  {
    url: "/api/admin/workforce/agents/:id/computer-tokens",
    operation: "AgentComputerToken",
    case: "agentId",
  },
] as const;
