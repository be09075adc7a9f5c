import { Reason } from "@muster/proto/errors";
import { firstProblems, rpcError } from "@muster/rpc";
import { checkReference, type ReferenceCheck, requestBytesOf } from "@muster/storage/files";
import type { SessionsContext } from "../../context.ts";
import { type GivenFile, issuesOfFile, maxFiles } from "../../input/values.ts";
import type { FileOwner } from "../files/read-content.ts";

type FilesContext = Pick<SessionsContext, "fileDelivery" | "checkUrl">;

interface Issue {
  path: string;
  message: string;
}

/**
 * Throws INVALID_INPUT unless every file can be read: it was uploaded for the session, or has a public https address, and its
 * type and size are allowed. A file may be removed before a model is called, so it is checked again then.
 */
export async function assertFiles(
  context: FilesContext,
  owner: FileOwner,
  given: readonly GivenFile[],
): Promise<void> {
  if (given.length === 0) return;
  const issues =
    given.length > maxFiles
      ? [tooMany(given)]
      : given.flatMap((each) => [...issuesOfFile(each), ...typeIssues(context, each)]);
  if (issues.length === 0) issues.push(...(await urlIssues(context, owner, given)));
  if (issues.length === 0) return;
  const text = firstProblems(issues.map(({ path, message }) => `${path} ${message}.`));
  throw rpcError(Reason.INVALID_INPUT, text, { issues });
}

function typeIssues({ fileDelivery }: FilesContext, { path, file }: GivenFile): Issue[] {
  const { mediaTypes } = fileDelivery.sources.rules;
  if (mediaTypes.includes(file.mediaType)) return [];
  return [{ path: `${path}.mediaType`, message: `must be one of ${mediaTypes.join(", ")}` }];
}

/** Whose files an owner may name. */
export function referenceCheck(
  { fileDelivery: { sources }, checkUrl }: FilesContext,
  { projectId, ownerIds }: FileOwner,
): ReferenceCheck {
  const isOwner = (key: { projectId: string; ownerId: string }) =>
    key.projectId === projectId && ownerIds.includes(key.ownerId);
  return { files: sources.files, checkUrl, isOwner, owner: "this session" };
}

async function urlIssues(context: FilesContext, owner: FileOwner, given: readonly GivenFile[]) {
  const check = referenceCheck(context, owner);
  const issues: Issue[] = [];
  let bytes = 0;
  for (const { path, file } of given) {
    const found = await checkReference(check, file);
    if ("problem" in found) issues.push({ path: `${path}.url`, message: found.problem });
    else if (found.record !== undefined) {
      bytes += found.record.size;
      const { mediaType } = found.record;
      if (mediaType !== file.mediaType) {
        issues.push({ path: `${path}.mediaType`, message: `must be ${mediaType}, as uploaded` });
      }
    }
  }
  const maxBytes = requestBytesOf(context.fileDelivery.sources.rules);
  if (bytes > maxBytes) {
    issues.push({ path: "input", message: `must have files of at most ${maxBytes} bytes together` });
  }
  return issues;
}

function tooMany([first]: readonly GivenFile[]): Issue {
  return { path: first?.path ?? "input", message: `must be among at most ${maxFiles} files` };
}
