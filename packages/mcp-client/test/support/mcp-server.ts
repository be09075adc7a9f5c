import type { McpServer } from "../../src/index.ts";

/** A registered server without credentials. */
export function mcpServer(url: string, settings: Partial<McpServer> = {}): McpServer {
  return {
    mcpServerId: "mcp_1",
    slug: "tickets",
    url: `${url}/mcp`,
    auth: { type: "none" },
    headers: {},
    idleTimeoutMs: 60_000,
    timeoutMs: 600_000,
    ...settings,
  };
}
