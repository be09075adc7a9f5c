import type { Client, RequestOptions, Tool } from "@modelcontextprotocol/client";
import { matchesPattern } from "@muster/language";
import { isJsonObject, isJsonValue } from "@muster/language/json";
import type { McpServer, McpTool } from "./mcp-server.ts";

const maxTools = 128;
const maxToolBytes = 64 * 1024;
const maxNameLength = 200;
const longestFreshMs = 24 * 3_600_000;
/** The old era has no such field. */
const freshMsByDefault = 60_000;

export interface Listing {
  tools: McpTool[];
  /** One sentence for each tool that is not offered. */
  problems: string[];
  freshMs: number;
}

/** The tools that the server's settings allow, by name. */
export async function listTools(
  client: Client,
  server: McpServer,
  options: RequestOptions,
): Promise<Listing> {
  if (client.getServerCapabilities()?.tools === undefined)
    return { tools: [], problems: [], freshMs: freshMsByDefault };
  const result = await client.listTools(undefined, options);
  const problems: string[] = [];
  const byName = new Map<string, McpTool>();
  const patterns = server.tools ?? ["*"];
  const isAllowed = ({ name }: Tool) => patterns.some((pattern) => matchesPattern(pattern, name));
  for (const tool of result.tools.filter(isAllowed).sort(compareNames)) {
    const read = readTool(tool);
    const problem =
      typeof read === "string"
        ? read
        : byName.has(tool.name)
          ? "another one has the same name"
          : byName.size >= maxTools
            ? `there are ${maxTools} already`
            : undefined;
    if (typeof read !== "string" && problem === undefined) byName.set(tool.name, read);
    else problems.push(`The tool ${tool.name.slice(0, maxNameLength)} is not offered: ${problem}.`);
  }
  const { ttlMs } = result;
  const freshMs = typeof ttlMs === "number" ? Math.min(ttlMs, longestFreshMs) : freshMsByDefault;
  return { tools: [...byName.values()], problems, freshMs };
}

function readTool({ name, description = "", inputSchema, annotations }: Tool): McpTool | string {
  if (name === "" || name.length > maxNameLength) return "its name is empty or too long";
  if (!isJsonValue(inputSchema) || !isJsonObject(inputSchema)) return "its schema is too deep, or not one";
  const bytes = Buffer.byteLength(JSON.stringify({ description, inputSchema }));
  if (bytes > maxToolBytes) return `its description and schema have more than ${maxToolBytes} bytes`;
  const isReadOnly = annotations?.readOnlyHint === true;
  return { name, description, inputSchema, isReadOnly, isIdempotent: annotations?.idempotentHint === true };
}

function compareNames({ name: left }: Tool, { name: right }: Tool): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
