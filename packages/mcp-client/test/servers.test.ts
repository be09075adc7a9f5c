import assert from "node:assert/strict";
import { serve, until } from "@muster/testing";
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

for (const kind of ["v2 stateless", "v1 with sessions"]) {
  test(`a call of a server that is ${kind} is cancelled there, too`, async (t) => {
    let [isCalled, isCancelled] = [false, false];
    const listener = serverKinds[kind]?.(
      () => (isCancelled = true),
      () => (isCalled = true),
    );
    assert.ok(listener);
    const mcp = client();
    const abort = new AbortController();
    const calling = mcp.call(mcpServer(await serve(t, listener)), "wait", {}, abort.signal);
    await until("the tool is called", () => isCalled);
    abort.abort();
    assert.deepEqual(await calling, {
      type: "unknown",
      error: "The call was cancelled, so the call may have had an effect.",
    });
    await until("the tool is cancelled", () => isCancelled);
    const early = await mcp.call(mcpServer("http://127.0.0.1:1"), "wait", {}, abort.signal);
    assert.deepEqual(early, { type: "error", error: "The call was cancelled." });
    await assert.rejects(mcp.list(mcpServer("http://127.0.0.1:1"), abort.signal), { name: "AbortError" });
  });
}

test("a session of the old era is ended with each listing and call", async (t) => {
  const listener = serverKinds["v1 with sessions"]?.();
  assert.ok(listener);
  const sessions: string[] = [];
  const url = await serve(t, (request, response) => {
    if (request.method === "DELETE") sessions.push(String(request.headers["mcp-session-id"]));
    listener(request, response);
  });
  const mcp = client();
  await mcp.list(mcpServer(url), signal);
  await mcp.call(mcpServer(url), "echo", { text: "hello" }, signal);
  await until("both are ended", () => new Set(sessions).size === 2);
});

test("images, sound and embedded files become files, and links and embedded text are read", async (t) => {
  const listener = serverKinds["v2 stateless"]?.();
  assert.ok(listener);
  const outcome = await client().call(mcpServer(await serve(t, listener)), "files", {}, signal);
  assert.ok(outcome.type === "result");
  assert.deepEqual(outcome.result, [
    "Two files.",
    { type: "image", mediaType: "image/png", file: "image-1.png" },
    { type: "audio", mediaType: "audio/wav", file: "audio-2.wav" },
    { type: "link", url: "https://tickets.example/7", name: "Ticket 7" },
    { type: "resource", url: "file:///a/note.txt", text: "A note." },
    { type: "resource", url: "file:///a/b.pdf", mediaType: "application/pdf", file: "b.pdf" },
    { type: "resource", url: "file:///a/c.txt", mediaType: "text/plain", file: "c.txt" },
  ]);
  assert.deepEqual(
    outcome.files.map(({ name, mediaType, content }) => [name, mediaType, content.length]),
    [
      ["image-1.png", "image/png", 68],
      ["audio-2.wav", "audio/wav", 3],
      ["b.pdf", "application/pdf", 4],
      ["c.txt", "text/plain", 8],
    ],
  );
});
