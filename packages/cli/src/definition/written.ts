import type { FileChange, FolderProblem } from "@muster/language/folder";
import { type CliError, failure } from "../exit.ts";
import type { Output } from "../output.ts";

const verbs = { create: "wrote", update: "updated", delete: "removed" } as const;

/** Prints a line for each file that was written. */
export function showWritten(out: Output, folder: string, changes: readonly FileChange[]): void {
  for (const { kind, path } of changes) out.line(`${verbs[kind]} ${folder}/${path}`);
}

/** The same list for `--json`. */
export function writtenFiles(changes: readonly FileChange[]): Array<Pick<FileChange, "kind" | "path">> {
  return changes.map(({ kind, path }) => ({ kind, path }));
}

export function unwritable(problems: readonly FolderProblem[]): CliError {
  return failure("INVALID_FOLDER", "Cannot write the agent folder.", { issues: problems });
}
