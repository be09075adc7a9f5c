// An MCP server on standard input and output, as users have them.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const child = spawn("sleep", ["1000"], { stdio: "ignore" });
writeFileSync("pids", `${process.pid} ${child.pid}`);
const server = new McpServer({ name: "test", version: "1" });
const text = (content) => ({ content: [{ type: "text", text: content }] });
const input = fromJsonSchema({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});
server.registerTool("echo", { description: "Echoes.", inputSchema: input }, (args) =>
  text(`${process.env.GREETING} ${args.text}`),
);
server.registerTool("fail", { description: "Fails." }, () => ({ ...text("it failed"), isError: true }));
server.registerTool("large", { description: "Large." }, () => text("x".repeat(2_000_000)));
server.registerTool("picture", { description: "A picture." }, () => ({
  content: [{ type: "image", mimeType: "image/png", data: "AAAA" }],
}));
server.registerTool("die", { description: "Dies." }, () => process.exit(3));
server.registerTool("wait", { description: "Waits." }, () => new Promise(() => {}));
console.error("\u001b[2Jserver ready");
await server.connect(new StdioServerTransport());
