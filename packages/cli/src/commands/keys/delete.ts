import { deleteKey as remove } from "../../api/keys.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const deleteKey: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete an API key. It stops working at once.")
    .argument("<id>", "Id of the key, as shown by keys list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [id = ""] = args;
        const api = connect();
        if (!options.flag("yes")) await confirm(io, out, `Delete the key ${id} on ${api.url}?`, "--yes");
        const deleted = await remove(api, id);
        if (out.json) out.document(deleted);
        else out.line(`Deleted ${id}.`);
      }),
    );
};
