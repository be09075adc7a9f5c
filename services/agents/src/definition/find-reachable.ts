import type { KnownAgent } from "@muster/language";
import type { AgentStore } from "../store/agents.ts";

/** The number of slugs in one query. */
const batchSize = 128;
/** Workers beyond these limits are not followed: execution limits the depth of worker calls anyway. */
const maxAgents = 1_000;

/** The active agents of the project that can be reached from these workers, level by level, by slug. */
export async function findReachable(
  agents: Pick<AgentStore, "findWorkers">,
  projectId: string,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, KnownAgent>> {
  const found = new Map<string, KnownAgent>();
  const seen = new Set(slugs);
  for (let level = [...seen]; level.length > 0 && found.size < maxAgents; ) {
    const batch = level.splice(0, batchSize);
    for (const { slug, settings, workers = [] } of await agents.findWorkers(projectId, batch)) {
      const { format } = settings;
      found.set(slug, { format, workers });
      // An agent of another format cannot run as a worker, so its own workers do not matter.
      for (const worker of format === "worker" ? workers : []) {
        if (seen.has(worker)) continue;
        seen.add(worker);
        level.push(worker);
      }
    }
  }
  return found;
}
