import { relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type DefinitionSource, isName } from "@muster/language";
import { type FileChange, planAgentFolder, writeAgentFolder } from "@muster/language/folder";
import { getAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import { showDiffs, unifiedDiff } from "../../definition/differences.ts";
import { showWritten, unwritable, writtenFiles } from "../../definition/written.ts";
import { failure } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const pull: AddCommand = (group, act) => {
  group
    .command("pull")
    .description("Download an agent from the server into a folder.")
    .argument("<slug>", "Slug or id of the agent")
    .argument("[folder]", "Folder to write (default: the slug)")
    .option("--version <number>", "Version to download (default: the latest)")
    .option("--force", "Overwrite local changes without asking")
    .addHelpText(
      "after",
      examples("muster agents pull support-chat", "muster agents pull support-chat old --version 3"),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const [name = "", given] = args;
  const { version, definition } = await getAgent(invocation.api(), name, options.version("version"));
  const { slug } = definition.settings;
  // The slug becomes a folder name.
  if (!isName("slug", slug))
    throw failure("INVALID_DEFINITION", `The slug of the server's agent is invalid: ${slug}`);
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
  out.line(`Pulled version ${version} of ${slug} into ${shown}.`);
  const report = { slug, version, folder: relative(io.cwd, folder) || "." };
  if (out.json) out.document({ ...report, changes: writtenFiles(written.changes) });
};

/** The user agreed to the changes that were shown, and may have edited files since. */
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
    "The folder has changed since the diff was shown. Nothing was written. Pull again.",
  );
}

function diffOf(change: FileChange): string {
  const before = change.kind === "create" ? undefined : change.before;
  return unifiedDiff(change.path, before, change.kind === "delete" ? undefined : change.after);
}
