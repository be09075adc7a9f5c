import { findMcpServer, updateMcpServer as update } from "../../api/mcp-servers.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { addServerOptions, serverFieldsOf } from "./server-options.ts";

export const updateMcpServer: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change an MCP server. Options that are absent change nothing.")
    .argument("<server>", "Slug or id of the MCP server")
    .option("--server-url <url>", "Its new URL; with another origin, its secrets are needed again");
  addServerOptions(command)
    .option("--enable", "Show it to agents")
    .option("--disable", "Hide it from agents")
    .addHelpText(
      "after",
      examples(
        "muster mcp update issue-tracker --auth bearer --secret-env NEW_TOKEN",
        "muster mcp update issue-tracker --disable",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options, api: connect }) => {
  const [enable, disable] = [options.flag("enable"), options.flag("disable")];
  if (enable && disable) throw usageError("--enable and --disable exclude each other.");
  const enabled = enable || disable ? enable : undefined;
  const changes = { url: options.text("serverUrl"), ...(await serverFieldsOf(io, options)), enabled };
  if (Object.values(changes).every((value) => value === undefined))
    throw usageError("Nothing to change. Add --server-url, --auth, --tool, --disable or another option.");
  const api = connect();
  const { id } = await findMcpServer(api, args[0] ?? "");
  const server = await update(api, id, changes);
  if (out.json) out.document(server);
  else out.line(`Changed the MCP server ${server.slug}.`);
};
