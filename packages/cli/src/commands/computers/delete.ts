import { deleteComputer as remove } from "../../api/computers.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const deleteComputer: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete a shared computer that no agent uses, with its tokens. Its connection ends.")
    .argument("<id>", "Id of the computer, as shown by computers list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [id = ""] = args;
        const api = connect();
        const question = `Delete the computer ${id} on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        await remove(api, id);
        if (out.json) out.document({ id, deleted: true });
        else out.line(`Deleted ${id}.`);
      }),
    );
};
