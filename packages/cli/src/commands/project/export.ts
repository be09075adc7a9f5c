import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const exportProject: AddCommand = (group, act) => {
  group
    .command("export")
    .description(
      "Write the project on the server as files, without secrets. Requires a key with the permission admin.",
    )
    .option("-f, --folder <folder>", "Folder to write (default: the working directory)")
    .option("--force", "Replace files with other contents")
    .addHelpText("after", examples("muster export -f infra/muster"))
    .action(act(handle));
};

// The compiler takes long to load.
const handle: Handler = async (invocation) =>
  (await import("../../project/handlers.ts")).exportHandler(invocation);
