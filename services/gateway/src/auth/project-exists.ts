import type { Client } from "@connectrpc/connect";
import type { AuthService } from "@muster/proto/auth";
import { callOptions } from "@muster/rpc";
import { LRUCache } from "lru-cache";

/** Checks that a project exists. Projects are never removed, so a positive result is cached indefinitely. */
export type ProjectExists = (
  projectId: string,
  asked: { principal: string; requestId: string },
) => Promise<boolean>;

export function createProjectExists(
  auth: Pick<Client<typeof AuthService>, "listProjects">,
  timeoutMs: number,
): ProjectExists {
  const known = new LRUCache<string, true>({ max: 10_000 });
  return async (projectId, { principal, requestId }) => {
    if (known.has(projectId)) return true;
    const { projects } = await auth.listProjects({}, callOptions({ principal, requestId, timeoutMs }));
    for (const { id } of projects) known.set(id, true);
    return projects.some(({ id }) => id === projectId);
  };
}
