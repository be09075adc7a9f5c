import { fileLimits } from "@muster/files";
import { FetchProblem } from "@muster/guarded-fetch";
import { Issues } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import type { AgentKey } from "../store/agent-document.ts";
import type { StoredFile } from "../store/thread-document.ts";
import { isInTime, ownFile } from "./own-file.ts";

type FilesContext = Pick<WorkforceContext, "files" | "checkUrl">;

/**
 * Throws INVALID_REQUEST unless every URL is one that the run may read: of a file that was uploaded for this agent, or a
 * public https address.
 */
export async function checkFiles(
  context: FilesContext,
  agent: AgentKey,
  files: readonly StoredFile[],
): Promise<void> {
  const issues = new Issues();
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const found = await checkFile(context, agent, file);
    if ("problem" in found) issues.add(`files.${index}.url`, found.problem);
    else bytes += found.bytes;
  }
  if (bytes > fileLimits.requestBytes) {
    issues.add("files", `must have at most ${fileLimits.requestBytes} bytes together`);
  }
  issues.refuse();
}

async function checkFile(
  { files, checkUrl }: FilesContext,
  { projectId, agentId }: AgentKey,
  { url }: StoredFile,
): Promise<{ bytes: number } | { problem: string }> {
  const key = ownFile(files, url);
  if (files === undefined || key === undefined) return checkPublic(checkUrl, url);
  if (key.projectId !== projectId || key.ownerId !== agentId) {
    return { problem: "must be a download URL of this agent" };
  }
  if (!isInTime(files, url)) return { problem: "has expired; upload the file again" };
  const stored = await files.storage.open(key);
  await stored?.close();
  return stored === undefined
    ? { problem: "has no content; upload the file first" }
    : { bytes: stored.record.size };
}

/** The size of such a file is not known before it is fetched. */
function checkPublic(
  checkUrl: FilesContext["checkUrl"],
  url: string,
): { bytes: number } | { problem: string } {
  try {
    checkUrl(url);
    return { bytes: 0 };
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
    return { problem: "must be a download URL of this agent or a public https address" };
  }
}
