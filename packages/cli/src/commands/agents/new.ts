import { relative, resolve } from "node:path";
import { planAgentFolder, settingsFile, writeAgentFolder } from "@muster/agent-folder";
import { isName, nameHint } from "@muster/protocol";
import { newDefinition } from "../../definition/new-definition.ts";
import { showWritten, unwritable, writtenFiles } from "../../definition/written.ts";
import { exitCodes, failure, usageError } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const newAgent: AddCommand = (group, act) => {
  group
    .command("new")
    .description("Makes the folder of a new agent, to start from. Asks no server.")
    .argument("<slug>", "slug of the agent, such as support-chat")
    .argument("[folder]", "default: a folder named like the slug")
    .option("--name <text>", "name of the agent; default: the slug")
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options }) => {
  const [slug = "", given] = args;
  if (!isName("slug", slug))
    throw usageError(`${JSON.stringify(slug)} is no slug: it must be ${nameHint("slug")}.`);
  const shown = given ?? slug;
  const folder = resolve(io.cwd, shown);
  const definition = newDefinition(slug, options.text("name") ?? slug);
  const plan = await planAgentFolder(folder, definition);
  if (!plan.ok) throw unwritable(plan.problems);
  const isFree = plan.changes.every(({ kind }) => kind === "create");
  if (!isFree || !plan.changes.some(({ path }) => path === settingsFile))
    throw failure("FOLDER_IN_USE", `${shown} has files of an agent already. Name another folder.`);
  const written = await writeAgentFolder(folder, definition);
  if (!written.ok) throw unwritable(written.problems);
  showWritten(out, shown, written.changes);
  if (out.json)
    out.document({ slug, folder: relative(io.cwd, folder) || ".", changes: writtenFiles(written.changes) });
  else out.note(`Try it: muster agents push ${shown} && muster chat ${slug}`);
  return exitCodes.fine;
};
