import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const applyProject: AddCommand = (group, act) => {
  group
    .command("apply")
    .description("Make the project on the server match its files. Requires a key with the permission admin.")
    .option("-f, --folder <folder>", "Folder with muster.yaml and agents (default: the working directory)")
    .option("--prune", "Delete what an earlier apply made and the files no longer describe")
    .option("--dry-run", "Show the changes without making them")
    .option("--rotate-secrets", "Send the secrets of all environment variables again")
    .addHelpText("after", examples("muster apply -f infra/muster --dry-run", "muster apply --prune"))
    .action(act(handle));
};

// The compiler takes long to load.
const handle: Handler = async (invocation) =>
  (await import("../../project/handlers.ts")).applyHandler(invocation);
