import { Issues } from "@muster/rpc";
import { checkReference, requestBytesOf } from "@muster/storage/files";
import type { WorkforceContext } from "../context.ts";
import type { AgentKey } from "../store/agent-document.ts";
import type { StoredFile } from "../store/thread-document.ts";

type FilesContext = Pick<WorkforceContext, "files" | "checkUrl" | "rules">;

/**
 * Throws INVALID_REQUEST unless every URL is one that the run may read: of a file that was uploaded for this agent, or a
 * public https address.
 */
export async function checkFiles(
  { files: stored, checkUrl, rules }: FilesContext,
  { projectId, agentId }: AgentKey,
  files: readonly StoredFile[],
): Promise<void> {
  const issues = new Issues();
  const isOwner = (key: { projectId: string; ownerId: string }) =>
    key.projectId === projectId && key.ownerId === agentId;
  const check = { files: stored, checkUrl, isOwner, owner: "this agent" };
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const found = await checkReference(check, file);
    if ("problem" in found) issues.add(`files.${index}.url`, found.problem);
    else bytes += found.record?.size ?? 0;
  }
  const maxBytes = requestBytesOf(rules);
  if (bytes > maxBytes) issues.add("files", `must have at most ${maxBytes} bytes together`);
  issues.refuse();
}
