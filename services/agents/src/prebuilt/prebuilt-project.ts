import { createHash } from "node:crypto";

/** The project id of pre-built agents, which no project has. */
export const prebuiltProject = "prebuilt";

/** The same on every installation and instance, so that concurrent installations store one agent. */
export function prebuiltAgentId(slug: string): string {
  return `agt_${createHash("sha256").update(`prebuilt:${slug}`).digest("hex").slice(0, 26)}`;
}
