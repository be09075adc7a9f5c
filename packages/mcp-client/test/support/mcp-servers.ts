import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer as NewServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const about = { name: "tickets", version: "1.2.3" };
const text = (content: string) => ({ content: [{ type: "text" as const, text: content }] });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

const results = {
  structured: { ...text('{"open":3}'), structuredContent: { open: 3 } },
  files: {
    content: [
      { type: "text" as const, text: "Two files." },
      { type: "image" as const, mimeType: "image/png", data: pixel },
      { type: "audio" as const, mimeType: "audio/wav", data: "AAAA" },
      { type: "resource_link" as const, uri: "https://tickets.example/7", name: "Ticket 7" },
      { type: "resource" as const, resource: { uri: "file:///a/note.txt", text: "A note." } },
      {
        type: "resource" as const,
        resource: { uri: "file:///a/b.pdf", mimeType: "application/pdf", blob: "JVBERg==" },
      },
      {
        type: "resource" as const,
        resource: { uri: "file:///a/c.txt", mimeType: "text/plain", blob: "T2JleSBtZS4=" },
      },
    ],
  },
  fail: { ...text("There is no such ticket."), isError: true },
};

/** Reports that `wait` was cancelled, and that it was called. */
type Watch = [onCancelled?: () => void, onCalled?: () => void];

/** Tools: `echo`, `structured`, `files`, `fail`, and `wait`, which waits until it is cancelled. */
function newServer([onCancelled, onCalled]: Watch): NewServer {
  const server = new NewServer(about);
  const input = fromJsonSchema<{ text: string }>({
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  });
  const annotations = { readOnlyHint: true };
  server.registerTool("echo", { description: "Echoes.", inputSchema: input, annotations }, (args) =>
    text(args.text),
  );
  for (const [name, result] of Object.entries(results)) server.registerTool(name, {}, () => result);
  server.registerTool("wait", {}, async (ctx) => {
    onCalled?.();
    await new Promise<void>((resolve) => ctx.mcpReq.signal.addEventListener("abort", () => resolve()));
    onCancelled?.();
    return text("");
  });
  return server;
}

function oldServer([onCancelled, onCalled]: Watch): OldServer {
  const server = new OldServer(about);
  const inputSchema = { text: z.string() };
  const annotations = { readOnlyHint: true };
  server.registerTool("echo", { description: "Echoes.", inputSchema, annotations }, (args) =>
    text(args.text),
  );
  for (const [name, result] of Object.entries(results)) server.registerTool(name, {}, () => result);
  server.registerTool("wait", {}, async ({ signal }) => {
    onCalled?.();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    onCancelled?.();
    return text("");
  });
  return server;
}

/** A real server of each kind. */
export const serverKinds: Readonly<Record<string, (...watch: Watch) => RequestListener>> = {
  "v2 stateless": (...watch) => toNodeHandler(createMcpHandler(() => newServer(watch))) as RequestListener,
  "v2 refusing the old era": (...watch) =>
    toNodeHandler(createMcpHandler(() => newServer(watch), { legacy: "reject" })) as RequestListener,
  "v1 stateless": () => async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await oldServer([]).connect(transport);
    await transport.handleRequest(request, response);
  },
  "v1 with sessions": (...watch) => withSessions(watch),
};

function withSessions(watch: Watch) {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return async (request: IncomingMessage, response: ServerResponse) => {
    const id = String(request.headers["mcp-session-id"] ?? "");
    const known = sessions.get(id);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (created) => void sessions.set(created, transport),
    });
    transport.onclose = () => void sessions.delete(transport.sessionId ?? "");
    await oldServer(watch).connect(transport);
    await transport.handleRequest(request, response);
  };
}
