import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { orFailure, storeFolder } from "./data-folder.ts";

export const adminRestore: AddCommand = (group, act) => {
  group
    .command("restore <file>")
    .description("Create a data folder from a backup.")
    .option("--data-dir <folder>", "New data folder (default: DATA_DIR, or data)")
    .addHelpText("after", examples("muster admin restore backups/monday.muster --data-dir restored"))
    .action(
      act(async (invocation) => {
        const [file = ""] = invocation.args;
        const folder = storeFolder(invocation);
        const { restore } = await import("@muster/embedded-store/backup");
        await orFailure(() => restore(file, folder));
        if (invocation.out.json) invocation.out.document({ file, folder });
        else
          invocation.out.note(
            `The data has been restored in ${folder}. Start Muster with its parent folder as DATA_DIR.`,
          );
      }),
    );
};
