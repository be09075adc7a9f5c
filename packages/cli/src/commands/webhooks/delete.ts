import { deleteWebhook as remove } from "../../api/webhooks.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const deleteWebhook: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete a webhook with its deliveries, including those that wait.")
    .argument("<id>", "Id of the webhook")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [id = ""] = args;
        const api = connect();
        if (!options.flag("yes"))
          await confirm(io, out, `Delete the webhook ${id} from ${api.url}?`, "--yes");
        await remove(api, id);
        if (out.json) out.document({ id, deleted: true });
        else out.line(`Deleted ${id}.`);
      }),
    );
};
