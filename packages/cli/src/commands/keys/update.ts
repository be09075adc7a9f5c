import { updateKey as update } from "../../api/keys.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { addSpendingOptions, limitsOf } from "../../workforce/options.ts";
import { limitsLine } from "../../workforce/show-agent.ts";

export const updateKey: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change the monthly limits of an API key and its tokens.")
    .argument("<id>", "Id of the key, as shown by keys list");
  addSpendingOptions(command, "the key and its tokens")
    .addHelpText(
      "after",
      examples("muster keys update key_1 --monthly-usd 50", "muster keys update key_1 --monthly-usd none"),
    )
    .action(
      act(async ({ args, out, options, api }) => {
        const [id = ""] = args;
        const limits = limitsOf(options);
        if (Object.keys(limits).length === 0)
          throw usageError("Nothing to change. Add --monthly-usd or --monthly-tokens.");
        const key = await update(api(), id, limits);
        if (out.json) out.document(key);
        else
          out.line(
            `Key ${key.id} (${key.name}) has the monthly limits: ${limitsLine({ ...key.limits, monthlyRuns: null })}.`,
          );
      }),
    );
};
