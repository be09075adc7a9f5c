import { relative, resolve } from "node:path";
import { isName, nameHint } from "@muster/language";
import { planAgentFolder, settingsFile, writeAgentFolder } from "@muster/language/folder";
import { newDefinition } from "../../definition/new-definition.ts";
import { showWritten, unwritable, writtenFiles } from "../../definition/written.ts";
import { failure, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const newAgent: AddCommand = (group, act) => {
  group
    .command("new")
    .description("Create the folder of a new agent. No server is needed.")
    .argument("<slug>", "Slug of the agent, such as support-chat")
    .argument("[folder]", "Folder to create (default: the slug)")
    .option("--name <text>", "Name of the agent (default: the slug)")
    .addHelpText(
      "after",
      examples(
        "muster agents new shop-help",
        'muster agents new shop-help agents/shop-help --name "Shop help"',
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options, publicApi }) => {
  const [slug = "", given] = args;
  if (!isName("slug", slug))
    throw usageError(`${JSON.stringify(slug)} is not a valid slug: it must be ${nameHint("slug")}.`);
  const shown = given ?? slug;
  const folder = resolve(io.cwd, shown);
  const definition = newDefinition(slug, options.text("name") ?? slug, publicApi().url);
  const plan = await planAgentFolder(folder, definition);
  if (!plan.ok) throw unwritable(plan.problems);
  const isFree = plan.changes.every(({ kind }) => kind === "create");
  if (!isFree || !plan.changes.some(({ path }) => path === settingsFile))
    throw failure("FOLDER_IN_USE", `${shown} already contains agent files. Choose another folder.`);
  const written = await writeAgentFolder(folder, definition);
  if (!written.ok) throw unwritable(written.problems);
  showWritten(out, shown, written.changes);
  if (out.json)
    out.document({ slug, folder: relative(io.cwd, folder) || ".", changes: writtenFiles(written.changes) });
  else {
    out.hint({ purpose: "To create the agent on a server", args: `agents push ${shown}` });
    out.hint({ purpose: "Then, to chat with it", args: `chat ${slug}` });
  }
};
