import {
  findMcpServer,
  listMcpServers,
  type McpReport,
  testMcpServer as test,
} from "../../api/mcp-servers.ts";
import { testMcpServers } from "../../doctor/check-mcp-servers.ts";
import { showChecks } from "../../doctor/show-checks.ts";
import { exitCodes } from "../../exit.ts";
import type { Api } from "../../http/api.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { showTable } from "../../show-table.ts";

export const testMcpServer: AddCommand = (group, act) => {
  group
    .command("test")
    .description("Connect to an MCP server and list its tools, or test all enabled servers.")
    .argument("[server]", "Slug or id of the MCP server (default: all that are enabled)")
    .action(act(handle));
};

const handle: Handler = async ({ args, out, api: connect }) => {
  const [name] = args;
  const api = connect();
  const isFine = name === undefined ? await testAll(api, out) : await testOne(api, out, name);
  return isFine ? exitCodes.fine : exitCodes.failure;
};

async function testOne(api: Api, out: Output, name: string): Promise<boolean> {
  const { id, slug } = await findMcpServer(api, name);
  const ended = out.waiting(() => `Connecting to ${slug}`);
  const report = await test(api, id).finally(ended);
  if (out.json) out.document(report);
  else show(out, slug, report);
  return report.ok;
}

function show(out: Output, slug: string, report: McpReport): void {
  if (!report.ok) {
    out.line(`${out.style("red", "failed")}  ${report.stage}: ${report.problem}`);
    return;
  }
  const { server, era, protocolVersion, latencyMs, tools, problems } = report;
  const about = server === null ? slug : `${server.name} ${server.version}`;
  out.line(`${out.style("green", "ok")}  ${about}, protocol ${protocolVersion} (${era}), ${latencyMs} ms`);
  const columns = [{ heading: "TOOL" }, { heading: "DESCRIPTION", shrinks: true }];
  showTable(
    out,
    columns,
    tools.map((tool) => [tool.name, tool.description]),
  );
  for (const problem of problems) out.note(problem);
}

async function testAll(api: Api, out: Output): Promise<boolean> {
  const servers = await listMcpServers(api);
  const ended = out.waiting(() => "Connecting to the MCP servers");
  const checks = await testMcpServers(api, servers).finally(ended);
  if (out.json) out.document({ checks });
  else if (checks.length > 0) showChecks(out, checks);
  return checks.every(({ status }) => status !== "failed");
}
