import { createMcpServer } from "../../api/mcp-servers.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { addServerOptions, serverFieldsOf } from "./server-options.ts";

export const addMcpServer: AddCommand = (group, act) => {
  const command = group
    .command("add")
    .description(
      "Register an MCP server. Its secret is read from an environment variable or from standard input.",
    )
    .argument("<slug>", "Its name under mcpServers in definitions, such as issue-tracker")
    .argument("<url>", "Its URL");
  addServerOptions(command)
    .option("--disabled", "Hide it from agents")
    .addHelpText(
      "after",
      examples(
        "muster mcp add docs https://mcp.example.com/mcp",
        "muster mcp add issue-tracker https://mcp.example.com/mcp --auth bearer --secret-env ISSUE_TRACKER_TOKEN",
        "cat key.pem | muster mcp add crm https://crm.example.com/mcp --auth private-key-jwt --client-id muster",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options, api: connect }) => {
  const [slug = "", url = ""] = args;
  const server = await createMcpServer(connect(), {
    ...{ slug, url },
    ...(await serverFieldsOf(io, options)),
    enabled: options.flag("disabled") ? false : undefined,
  });
  if (out.json) {
    out.document(server);
    return;
  }
  out.note(`Registered the MCP server ${server.slug} in project ${server.projectId}.`);
  out.line(server.id);
  out.hint({ purpose: "To connect to it", args: `mcp test ${server.slug}` });
};
