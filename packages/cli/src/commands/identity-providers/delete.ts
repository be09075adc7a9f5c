import { deleteIdentityProvider as remove } from "../../api/identity-providers.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const deleteIdentityProvider: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete an identity provider. Its tokens stop working within a second.")
    .argument("<id>", "Id of the identity provider, as shown by identity-providers list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [id = ""] = args;
        const api = connect();
        const question = `Delete the identity provider ${id} on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const deleted = await remove(api, id);
        if (out.json) out.document(deleted);
        else out.line(`Deleted ${id}.`);
      }),
    );
};
