import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { orFailure, storeFolder } from "./data-folder.ts";

export const adminBackup: AddCommand = (group, act) => {
  group
    .command("backup <file>")
    .description("Copy the data of a Muster on this machine into a new file, while it runs.")
    .option("--data-dir <folder>", "Data folder of the server (default: DATA_DIR, or data)")
    .addHelpText("after", examples("muster admin backup backups/monday.muster"))
    .action(
      act(async (invocation) => {
        const [file = ""] = invocation.args;
        // Loaded only here: it needs SQLite, which the other commands do not.
        const { backUp } = await import("@muster/embedded-store/backup");
        await orFailure(() => backUp(storeFolder(invocation), file));
        if (invocation.out.json) invocation.out.document({ file });
        else invocation.out.note(`The backup is complete: ${file}`);
      }),
    );
};
