import { findMcpServer } from "../../api/mcp-servers.ts";
import type { AddCommand } from "../../invocation.ts";

export const showMcpServer: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show an MCP server, without its secrets.")
    .argument("<server>", "Slug or id of the MCP server")
    .action(
      act(async ({ args, out, api }) => {
        const server = await findMcpServer(api(), args[0] ?? "");
        if (out.json) out.document(server);
        else {
          const { type, ...auth } = server.auth;
          const details = Object.entries(auth).flatMap(([name, value]) =>
            value ? [`${name} ${value}`] : [],
          );
          for (const [name, value] of [
            ["ID", server.id],
            ["Slug", server.slug],
            ["URL", server.url],
            ["Auth", [type, ...details].join(", ")],
            ["Headers", server.headerNames.join(", ") || "none"],
            ["Tools", server.tools?.join(", ") ?? "all"],
            ["Limits", `${server.idleTimeoutMs} ms without progress, ${server.timeoutMs} ms in all`],
            ["Enabled", server.enabled ? "yes" : "no"],
            ["Created", out.time(server.createdAt)],
            ["Updated", out.time(server.updatedAt)],
          ] as const)
            out.line(`${name.padEnd(9)}${value}`);
        }
      }),
    );
};
