import { text } from "node:stream/consumers";
import { serve, type TestScope } from "@muster/testing";

interface Asked {
  id: number;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown> };
}

/** An MCP server of the new era with these tools, which all return text. */
export async function startTextServer(
  t: TestScope,
  tools: readonly string[],
  textOf: (tool: string, args: Record<string, unknown>) => string,
): Promise<string> {
  const cached = { ttlMs: 0, cacheScope: "private" };
  return serve(t, async (request, response) => {
    const { id, method, params }: Asked = JSON.parse((await text(request)) || "{}");
    const { name = "", arguments: args = {} } = params ?? {};
    const results: Record<string, () => object> = {
      "server/discover": () => ({
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ...cached,
      }),
      "tools/list": () => ({
        tools: tools.map((tool) => ({ name: tool, inputSchema: { type: "object" } })),
        ...cached,
      }),
      "tools/call": () => ({ content: [{ type: "text", text: textOf(name, args) }] }),
    };
    const result = { resultType: "complete", ...results[method]?.() };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}
