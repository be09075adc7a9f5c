import { relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type FileChange, planAgentFolder, writeAgentFolder } from "@muster/agent-folder";
import { type DefinitionSource, isName } from "@muster/protocol";
import { getAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import { showDiffs, unifiedDiff } from "../../definition/differences.ts";
import { showWritten, unwritable, writtenFiles } from "../../definition/written.ts";
import { exitCodes, failure } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const pull: AddCommand = (group, act) => {
  group
    .command("pull")
    .description("Makes a folder what the server's agent is.")
    .argument("<slug>", "slug or id of the agent")
    .argument("[folder]", "default: a folder named like the slug")
    .option("--version <number>", "a version other than the latest")
    .option("--force", "overwrite local changes without asking")
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const [name = "", given] = args;
  const { version, definition } = await getAgent(invocation.api(), name, options.version("version"));
  const { slug } = definition.settings;
  // It becomes the name of a folder.
  if (!isName("slug", slug))
    throw failure("INVALID_DEFINITION", `The server's agent has no proper slug: ${slug}`);
  const folder = resolve(io.cwd, given ?? slug);
  const shown = given ?? slug;
  const plan = await planAgentFolder(folder, definition);
  if (!plan.ok) throw unwritable(plan.problems);
  const overwritten = plan.changes.filter(({ kind }) => kind !== "create");
  if (overwritten.length > 0 && !options.flag("force")) {
    showDiffs(
      out,
      overwritten.map((change) => ({ diff: diffOf(change) })),
    );
    const count = overwritten.length === 1 ? "a file" : `${overwritten.length} files`;
    await confirm(io, out, `Overwrite or remove ${count} in ${shown}?`, "--force");
    await requireUnchanged(folder, definition, plan.changes);
  }
  const written = await writeAgentFolder(folder, definition);
  if (!written.ok) throw unwritable(written.problems);
  showWritten(out, shown, written.changes);
  out.line(`${shown} is ${slug} at version ${version}.`);
  const report = { slug, version, folder: relative(io.cwd, folder) || "." };
  if (out.json) out.document({ ...report, changes: writtenFiles(written.changes) });
  return exitCodes.fine;
};

/** Somebody who thinks about the question may go on editing meanwhile, and agreed to what was shown. */
async function requireUnchanged(
  folder: string,
  definition: DefinitionSource,
  agreed: readonly FileChange[],
): Promise<void> {
  const plan = await planAgentFolder(folder, definition);
  if (!plan.ok) throw unwritable(plan.problems);
  if (isDeepStrictEqual(plan.changes, agreed)) return;
  throw failure(
    "CHANGED_LOCALLY",
    "The folder has changed since the question. Nothing was written; pull again.",
  );
}

function diffOf(change: FileChange): string {
  const before = change.kind === "create" ? undefined : change.before;
  return unifiedDiff(change.path, before, change.kind === "delete" ? undefined : change.after);
}
