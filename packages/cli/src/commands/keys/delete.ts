import { deleteKey as remove } from "../../api/keys.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";

export const deleteKey: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Deletes a key, with all tokens that it minted.")
    .argument("<id>", "id of the key, from keys list")
    .option("--yes", "do not ask")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [id = ""] = args;
        const api = connect();
        if (!options.flag("yes")) await confirm(io, out, `Delete the key ${id} on ${api.url}?`, "--yes");
        const deleted = await remove(api, id);
        if (out.json) out.document(deleted);
        else out.line(`Deleted ${id}.`);
        return exitCodes.fine;
      }),
    );
};
