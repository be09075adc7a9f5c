import { CliError, exitCodes } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text, texts } from "../read.ts";

export type McpServer = ReturnType<typeof mcpServerOf>;
export type McpReport = ReturnType<typeof reportOf>;

const path = "/api/admin/mcp-servers";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

/** Fields of the request that are undefined are not sent. */
export async function createMcpServer(api: Api, server: Readonly<Record<string, unknown>>) {
  return mcpServerOf(await api.read("POST", path, { body: server }));
}

/** By slug. */
export async function listMcpServers(api: Api): Promise<McpServer[]> {
  return records(await api.read("GET", path), "mcpServers").map(mcpServerOf);
}

/** By slug or id. */
export async function findMcpServer(api: Api, name: string): Promise<McpServer> {
  const found = (await listMcpServers(api)).find(({ id, slug }) => id === name || slug === name);
  if (found !== undefined) return found;
  const message = `No MCP server of this project has the slug or the id ${name}.`;
  const hint = { purpose: "To list the MCP servers", args: "mcp list" };
  throw new CliError(exitCodes.failure, "NOT_FOUND", message, { hint, status: 404 });
}

/** Fields that are undefined stay unchanged. */
export async function updateMcpServer(api: Api, id: string, changes: Readonly<Record<string, unknown>>) {
  return mcpServerOf(await api.read("PATCH", pathOf(id), { body: changes }));
}

export async function deleteMcpServer(api: Api, id: string): Promise<void> {
  await api.request("DELETE", pathOf(id));
}

export async function testMcpServer(api: Api, id: string): Promise<McpReport> {
  return reportOf(await api.read("POST", `${pathOf(id)}/test`));
}

function mcpServerOf(server: Record<string, unknown>) {
  return {
    id: text(server, "id"),
    projectId: text(server, "projectId"),
    slug: text(server, "slug"),
    url: text(server, "url"),
    auth: authOf(record(server.auth)),
    headerNames: texts(server, "headerNames"),
    /** Null: all. */
    tools: server.tools === null ? null : texts(server, "tools"),
    idleTimeoutMs: integer(server, "idleTimeoutMs"),
    timeoutMs: integer(server, "timeoutMs"),
    enabled: server.enabled === true,
    createdAt: text(server, "createdAt"),
    updatedAt: text(server, "updatedAt"),
  };
}

function authOf(auth: Record<string, unknown>) {
  return {
    type: text(auth, "type"),
    name: optionalText(auth, "name"),
    clientId: optionalText(auth, "clientId"),
    algorithm: optionalText(auth, "algorithm"),
    issuer: optionalText(auth, "issuer"),
    scope: optionalText(auth, "scope"),
  };
}

function reportOf(report: Record<string, unknown>) {
  const latencyMs = integer(report, "latencyMs");
  if (report.ok !== true) {
    return { ok: false as const, stage: text(report, "stage"), problem: text(report, "problem"), latencyMs };
  }
  const about = report.server === null ? null : record(report.server);
  return {
    ok: true as const,
    era: text(report, "era"),
    protocolVersion: text(report, "protocolVersion"),
    server: about && { name: text(about, "name"), version: text(about, "version") },
    tools: records(report, "tools").map((tool) => {
      return { name: text(tool, "name"), description: text(tool, "description") };
    }),
    problems: texts(report, "problems"),
    latencyMs,
  };
}
