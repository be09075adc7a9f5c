import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readAgentFolder, settingsFile } from "@muster/agent-folder";
import { type DefinitionSource, isName } from "@muster/protocol";
import { getAgent } from "../../api/agents.ts";
import { differencesOf, showDiffs } from "../../definition/differences.ts";
import { exitCodes, failure, usageError } from "../../exit.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";

export const diff: AddCommand = (group, act) => {
  group
    .command("diff")
    .description("Shows what differs between the server and a folder, or between two versions.")
    .argument("<slug|folder>", "a folder is compared with the server, an agent's versions with each other")
    .option(
      "--from <number>",
      "version to start from; default: the one before --to, or the latest for a folder",
    )
    .option("--to <number>", "version to compare with; default: the latest. Not for a folder")
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const name = args[0] ?? "";
  // A path is always a folder; a name is one where there is such a folder, unless versions are compared.
  const isFolder = options.text("to") === undefined && (await isAgentFolder(resolve(io.cwd, name)));
  if (!isFolder && !isName("slug", name) && !name.includes("_"))
    throw failure("INVALID_FOLDER", `${name} is no agent folder.`);
  const { from, to, ...sides } = await (isFolder
    ? folderSides(invocation, name)
    : versionSides(invocation, name));
  const differences = differencesOf(sides.before, sides.after);
  if (out.json) out.document({ from, to, changes: differences });
  else if (differences.length === 0) out.line(`No difference between ${from} and ${to}.`);
  else showDiffs(out, differences);
  return differences.length === 0 ? exitCodes.fine : exitCodes.failure;
};

async function isAgentFolder(path: string): Promise<boolean> {
  return stat(join(path, settingsFile)).then(
    (found) => found.isFile(),
    () => false,
  );
}

interface Sides {
  before: DefinitionSource;
  after: DefinitionSource;
  /** What is compared, in words. */
  from: string;
  to: string;
}

async function folderSides({ io, options, api }: Invocation, folder: string): Promise<Sides> {
  const read = await readAgentFolder(resolve(io.cwd, folder));
  if (!read.ok) throw failure("INVALID_FOLDER", "The folder cannot be read.", read.problems);
  const { slug } = read.definition.settings;
  const { definition, version } = await getAgent(api(), slug, options.version("from"));
  return { before: definition, after: read.definition, from: `${slug} version ${version}`, to: folder };
}

async function versionSides({ options, api: connect }: Invocation, name: string): Promise<Sides> {
  const api = connect();
  const newer = await getAgent(api, name, options.version("to"));
  const from = options.version("from") ?? newer.version - 1;
  if (from < 1) throw usageError(`${name} has one version only. Name a folder to compare it with.`);
  const older = await getAgent(api, name, from);
  return {
    before: older.definition,
    after: newer.definition,
    from: `${name} version ${older.version}`,
    to: `version ${newer.version}`,
  };
}
