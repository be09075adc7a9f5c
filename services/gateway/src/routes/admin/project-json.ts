import type { Project } from "@muster/proto/auth";
import { isoOf } from "../iso.ts";

export function projectJson({ id, name, createTime, limits }: Project) {
  return {
    id,
    name,
    createdAt: isoOf(createTime),
    limits: { requestsPerMinute: limits?.requestsPerMinute ?? null },
  };
}
