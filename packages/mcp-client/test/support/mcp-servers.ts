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
    ],
  },
  fail: { ...text("There is no such ticket."), isError: true },
};

/** Tools: `echo`, `structured`, `files`, `fail`, `wait` (until cancelled, which `cancelled` reports), and `ask`. */
function newServer(cancelled: () => void = () => {}): NewServer {
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
    await new Promise<void>((resolve) => ctx.mcpReq.signal.addEventListener("abort", () => resolve()));
    cancelled();
    return text("");
  });
  return server;
}

function oldServer(cancelled: () => void = () => {}): OldServer {
  const server = new OldServer(about);
  const inputSchema = { text: z.string() };
  const annotations = { readOnlyHint: true };
  server.registerTool("echo", { description: "Echoes.", inputSchema, annotations }, (args) =>
    text(args.text),
  );
  for (const [name, result] of Object.entries(results)) server.registerTool(name, {}, () => result);
  server.registerTool("wait", {}, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    cancelled();
    return text("");
  });
  return server;
}

/** A real server of each kind. */
export const serverKinds: Readonly<Record<string, (cancelled?: () => void) => RequestListener>> = {
  "v2 stateless": (cancelled) =>
    toNodeHandler(createMcpHandler(() => newServer(cancelled))) as RequestListener,
  "v2 refusing the old era": (cancelled) =>
    toNodeHandler(createMcpHandler(() => newServer(cancelled), { legacy: "reject" })) as RequestListener,
  "v1 stateless": () => async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await oldServer().connect(transport);
    await transport.handleRequest(request, response);
  },
  "v1 with sessions": (cancelled) => withSessions(cancelled),
};

function withSessions(cancelled?: () => void) {
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
    await oldServer(cancelled).connect(transport);
    await transport.handleRequest(request, response);
  };
}
