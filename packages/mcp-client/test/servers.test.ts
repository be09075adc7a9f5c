import assert from "node:assert/strict";
import { serve } from "@muster/testing";
import { test } from "vitest";
import { createMcpClient } from "../src/index.ts";
import { mcpServer } from "./support/mcp-server.ts";
import { serverKinds } from "./support/mcp-servers.ts";

const { signal } = new AbortController();
const client = () => createMcpClient({ version: "0.0.0", guard: { privateHosts: ["127.0.0.1"] } });

for (const [kind, start] of Object.entries(serverKinds)) {
  test(`the tools of a server that is ${kind} are listed and called`, async (t) => {
    const server = mcpServer(await serve(t, start()));
    const mcp = client();
    const tools = await mcp.list(server, signal);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["echo", "fail", "files", "structured", "wait"],
    );
    const echo = tools.find(({ name }) => name === "echo");
    assert.deepEqual([echo?.description, echo?.isReadOnly, echo?.isIdempotent], ["Echoes.", true, false]);
    assert.deepEqual(echo?.inputSchema.required, ["text"]);
    const call = await mcp.call(server, "echo", { text: "hello" }, signal);
    assert.deepEqual(call, { type: "result", result: "hello", files: [] });
    const structured = await mcp.call(server, "structured", {}, signal);
    assert.deepEqual(structured, { type: "result", result: { open: 3 }, files: [] });
    const failed = await mcp.call(server, "fail", {}, signal);
    assert.deepEqual(failed, { type: "error", error: "There is no such ticket." });
    const report = await mcp.test(server, signal);
    assert.ok(report.isUsable);
    assert.equal(report.era, kind.startsWith("v2") ? "modern" : "legacy");
    assert.deepEqual(report.server, { name: "tickets", version: "1.2.3" });
  });
}
