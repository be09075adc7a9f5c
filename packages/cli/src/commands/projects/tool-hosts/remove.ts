import { removeToolHost as remove } from "../../../api/tool-hosts.ts";
import { confirm } from "../../../confirm.ts";
import { exitCodes } from "../../../exit.ts";
import type { AddCommand } from "../../../invocation.ts";

export const removeToolHost: AddCommand = (group, act) => {
  group
    .command("remove")
    .description("Forbid calls of HTTP tools on a host, and delete its secret.")
    .argument("<host>", "Host, as shown by projects tool-hosts list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [host = ""] = args;
        const api = connect();
        const question = `Remove ${host} and its secret from ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const deleted = await remove(api, host);
        if (out.json) out.document({ host, deleted });
        else if (deleted) out.line(`Removed ${host}.`);
        else out.line(`The project has neither the host ${host} nor a secret for it.`);
        return deleted ? exitCodes.fine : exitCodes.failure;
      }),
    );
};
