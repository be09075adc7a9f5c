import type { Project } from "@muster/proto/auth";
import { isoOf } from "../iso.ts";
import { monthlyLimitsJson } from "../monthly-limits-json.ts";

export function projectJson({ id, name, createdAt, limits }: Project) {
  return {
    id,
    name,
    createdAt: isoOf(createdAt),
    limits: { requestsPerMinute: limits?.requestsPerMinute ?? null, ...monthlyLimitsJson(limits) },
  };
}
