import type { Project } from "@muster/proto/auth";
import { isoOf } from "../../schemas/iso.ts";
import { monthlyLimitsJson } from "../../schemas/monthly-limits-json.ts";

export function projectJson({ id, name, createdAt, limits }: Project) {
  return {
    id,
    name,
    createdAt: isoOf(createdAt),
    limits: { requestsPerMinute: limits?.requestsPerMinute ?? null, ...monthlyLimitsJson(limits) },
  };
}
