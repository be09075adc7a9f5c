import { listMcpServers, type McpReport, type McpServer, testMcpServer } from "../api/mcp-servers.ts";
import { CliError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { attempt } from "./server.ts";
import type { Check } from "./show-checks.ts";

/** The MCP servers of the project. None for a key without the permission, and for a server that does not have them. */
export async function checkMcpServers(api: Api): Promise<Check[]> {
  const servers = await attempt(() => listMcpServers(api));
  if (servers instanceof CliError) {
    if (servers.status === 403 || servers.status === 404) return [];
    return [{ name: "mcp servers", status: "failed", message: servers.message }];
  }
  return testMcpServers(api, servers);
}

/** Tests servers, all at once. Those that are not enabled are off. */
export function testMcpServers(api: Api, servers: readonly McpServer[]): Promise<Check[]> {
  const checks = servers.map(async (server) => {
    return { name: `mcp ${server.slug}`, ...(await stateOf(api, server)) };
  });
  return Promise.all(checks);
}

async function stateOf(api: Api, { id, enabled }: McpServer): Promise<Omit<Check, "name">> {
  if (!enabled) return { status: "off", message: "not enabled" };
  const report = await attempt(() => testMcpServer(api, id));
  if (report instanceof CliError) return { status: "failed", message: report.message };
  if (!report.ok) return { status: "failed", message: `${report.stage}: ${report.problem}` };
  return { status: "ok", message: messageOf(report) };
}

function messageOf({ tools, problems, era, latencyMs }: Extract<McpReport, { ok: true }>): string {
  const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const left = problems.length === 0 ? "" : ` (${problems.join(" ")})`;
  return `${count}${left}, ${era} protocol, ${latencyMs} ms`;
}
