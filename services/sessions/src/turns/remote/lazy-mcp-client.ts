import type { McpClient, McpClientOptions } from "@muster/mcp-client";

/**
 * A client whose package is loaded when it is first used: that takes a third of a second of processor time and 25 MB, which
 * processes without MCP servers save.
 */
export function lazyMcpClient(options: McpClientOptions): McpClient {
  let loading: Promise<McpClient> | undefined;
  const load = () => {
    loading ??= import("@muster/mcp-client").then(({ createMcpClient }) => createMcpClient(options));
    return loading;
  };
  return {
    list: async (...args) => (await load()).list(...args),
    call: async (...args) => (await load()).call(...args),
    test: async (...args) => (await load()).test(...args),
  };
}
