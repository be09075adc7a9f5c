import { deleteMcpServer, findMcpServer } from "../../api/mcp-servers.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const removeMcpServer: AddCommand = (group, act) => {
  group
    .command("remove")
    .description("Remove an MCP server and its secrets. Turns that begin later cannot use it.")
    .argument("<server>", "Slug or id of the MCP server")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const api = connect();
        const { id, slug } = await findMcpServer(api, args[0] ?? "");
        const question = `Remove the MCP server ${slug} from ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        await deleteMcpServer(api, id);
        if (out.json) out.document({ id, deleted: true });
        else out.line(`Removed ${slug}.`);
      }),
    );
};
