import { deleteHook as remove } from "../../api/hooks.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";
import { findHook } from "./find-hook.ts";

export const deleteHook: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete a hook with its deliveries.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<hook>", "Slug or id of the hook")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const api = connect();
        const { agentId, id, slug } = await findHook(api, args);
        if (!options.flag("yes")) await confirm(io, out, `Delete the hook ${slug} from ${api.url}?`, "--yes");
        await remove(api, agentId, id);
        if (out.json) out.document({ id, deleted: true });
        else out.line(`Deleted ${slug}.`);
      }),
    );
};
