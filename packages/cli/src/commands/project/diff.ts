import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const diffProject: AddCommand = (group, act) => {
  group
    .command("diff")
    .description("Show what apply would change. Requires a key with the permission admin.")
    .option("-f, --folder <folder>", "Folder with muster.yaml and agents (default: the working directory)")
    .option("--prune", "Include the deletions of apply --prune")
    .option("--exit-code", "Exit with 2 if there are differences")
    .addHelpText("after", examples("muster diff -f infra/muster --exit-code"))
    .action(act(handle));
};

// The compiler takes long to load.
const handle: Handler = async (invocation) =>
  (await import("../../project/handlers.ts")).diffHandler(invocation);
