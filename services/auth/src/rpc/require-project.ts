import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { AuthContext } from "../context.ts";

/** Only principals that may act in any project get here with a project that may not exist. */
export async function requireProject(context: AuthContext, projectId: string): Promise<void> {
  if (await context.projects.find(projectId)) return;
  throw rpcError(Reason.NOT_FOUND, "The project does not exist.", {
    issues: [{ path: "projectId", message: "must be the id of an existing project" }],
  });
}
