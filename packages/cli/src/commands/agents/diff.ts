import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type DefinitionSource, isName } from "@muster/language";
import { readAgentFolder, settingsFile } from "@muster/language/folder";
import { getAgent } from "../../api/agents.ts";
import { differencesOf, showDiffs } from "../../definition/differences.ts";
import { exitCodes, failure, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";

export const diff: AddCommand = (group, act) => {
  group
    .command("diff")
    .description("Compare a folder with the server, or two versions of an agent.")
    .argument(
      "<slug|folder>",
      "Folder to compare with the server, or slug or id of the agent whose versions to compare",
    )
    .option("--from <number>", "Old version (default: the one before --to; for a folder, the latest)")
    .option("--to <number>", "New version (default: the latest); not for folders")
    .addHelpText(
      "after",
      examples("muster agents diff agents/shop-help", "muster agents diff support-chat --from 2 --to 5"),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const name = args[0] ?? "";
  // A name refers to a folder if that folder exists, unless --to asks for versions.
  const isFolder = options.text("to") === undefined && (await isAgentFolder(resolve(io.cwd, name)));
  if (!isFolder && !isName("slug", name) && !name.includes("_"))
    throw failure("INVALID_FOLDER", `${name} is neither an agent folder nor the slug of an agent.`);
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
  /** Names of the two sides. */
  from: string;
  to: string;
}

async function folderSides({ io, options, api }: Invocation, folder: string): Promise<Sides> {
  const read = await readAgentFolder(resolve(io.cwd, folder));
  if (!read.ok) throw failure("INVALID_FOLDER", "Cannot read the agent folder.", { issues: read.problems });
  const { slug } = read.definition.settings;
  const { definition, version } = await getAgent(api(), slug, options.version("from"));
  return { before: definition, after: read.definition, from: `${slug} version ${version}`, to: folder };
}

async function versionSides({ options, api: connect }: Invocation, name: string): Promise<Sides> {
  const api = connect();
  const newer = await getAgent(api, name, options.version("to"));
  const from = options.version("from") ?? newer.version - 1;
  if (from < 1)
    throw usageError(`${name} has only one version. To compare it with a folder, pass the folder instead.`);
  const older = await getAgent(api, name, from);
  return {
    before: older.definition,
    after: newer.definition,
    from: `${name} version ${older.version}`,
    to: `version ${newer.version}`,
  };
}
