import { deleteComputerToken as remove } from "../../../api/computers.ts";
import { confirm } from "../../../confirm.ts";
import type { AddCommand } from "../../../invocation.ts";
import { computerIdOf } from "../../../workforce/computer-id-of.ts";

export const deleteComputerToken: AddCommand = (group, act) => {
  group
    .command("delete")
    .description(
      "Delete a token of a computer. It stops working within a second, even on an open connection.",
    )
    .argument("<computer>", "Id of a shared computer, or name, slug or id of an agent with one of its own")
    .argument("<id>", "Id of the token, as shown by computers tokens list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [computer = "", id = ""] = args;
        const api = connect();
        const question = `Delete the token ${id} of ${computer} on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        await remove(api, await computerIdOf(api, computer), id);
        if (out.json) out.document({ id, deleted: true });
        else out.line(`Deleted ${id}.`);
      }),
    );
};
