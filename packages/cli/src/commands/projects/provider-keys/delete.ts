import { deleteProviderKey as remove } from "../../../api/provider-keys.ts";
import { confirm } from "../../../confirm.ts";
import { exitCodes } from "../../../exit.ts";
import type { AddCommand } from "../../../invocation.ts";

export const deleteProviderKey: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete the project's own key for a model provider.")
    .argument("<provider>", "Provider, as shown by projects provider-keys list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [provider = ""] = args;
        const api = connect();
        const question = `Delete the project's key for ${provider} on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const outcome = await remove(api, provider);
        if (out.json) out.document(outcome);
        else if (outcome.deleted) out.line(`Deleted the project's key for ${provider}.`);
        else out.line(`The project has no key for ${provider}.`);
        return outcome.deleted ? exitCodes.fine : exitCodes.failure;
      }),
    );
};
