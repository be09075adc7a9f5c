import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { orFailure, storeFolder } from "./data-folder.ts";

export const adminMove: AddCommand = (group, act) => {
  group
    .command("move")
    .description(
      "Copy the data of a stopped Muster on this machine to an empty MongoDB, and compare the two.",
    )
    .requiredOption("--to <uri>", "MongoDB, as in MONGODB_URI")
    .option("--data-dir <folder>", "Data folder of the server (default: DATA_DIR, or data)")
    .addHelpText("after", examples("muster admin move --to 'mongodb://db1,db2,db3/?replicaSet=rs0'"))
    .action(
      act(async (invocation) => {
        const { options, out } = invocation;
        // Loaded only here: it needs SQLite and the driver, which the other commands do not.
        const { moveTo } = await import("@muster/embedded-store/move");
        await orFailure(async () => {
          const collections = await moveTo(
            storeFolder(invocation),
            options.text("to") ?? "",
            ({ namespace, documents }) => {
              if (!out.json) out.note(`${namespace}: ${documents} documents, the same in both places`);
            },
          );
          if (out.json) out.document({ collections });
        });
        out.note(
          "The data has been moved. Start Muster with this MongoDB as MONGODB_URI, and the same DATA_DIR.",
        );
      }),
    );
};
