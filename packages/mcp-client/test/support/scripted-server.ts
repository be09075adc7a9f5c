import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonObject, type JsonValue } from "@muster/language/json";
import { serve, type TestScope } from "@muster/testing";

export interface Asked {
  id: JsonValue;
  method: string;
  params: JsonObject;
  request: IncomingMessage;
}

export type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  url: string;
  /** The methods that were requested so far. */
  asked: string[];
  /** Answers to methods that differ from those of a well-behaved server. */
  answers: Record<string, Answer>;
}

const results: Readonly<Record<string, JsonObject>> = {
  "server/discover": {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
  },
  "tools/list": {
    tools: [{ name: "echo", inputSchema: { type: "object" } }],
    ttlMs: 0,
    cacheScope: "private",
  },
  "tools/call": { content: [{ type: "text", text: "hello" }] },
};

/** An MCP server of the new era whose every answer a test can replace. */
export async function startScripted(t: TestScope): Promise<ScriptedServer> {
  const server: ScriptedServer = { url: "", asked: [], answers: {} };
  server.url = await serve(t, async (request, response) => {
    response.on("error", () => {});
    const message: unknown = JSON.parse((await text(request)) || "{}");
    const { id = null, method, params } = message as JsonObject;
    const name = String(method);
    server.asked.push(name);
    const asked = { id, method: name, params: isJsonObject(params) ? params : {}, request };
    const answer = server.answers[name] ?? ((right) => sendJson(response, answerTo(right, results[name])));
    await answer(asked, response);
  });
  return server;
}

export function answerTo({ id }: Pick<Asked, "id">, result: object = {}) {
  return { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } };
}

export function sendJson(response: ServerResponse, message: object): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(message));
}

/** Begins a stream, and returns a function that sends an event of it. */
export function beginStream(response: ServerResponse): (message: JsonValue) => boolean {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  return (message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
}

/** Writes until the client closes the connection, as fast as it reads. `onWritten` is called with the bytes so far. */
export async function pour(
  to: Writable,
  next: () => string,
  onWritten: (bytes: number) => void,
): Promise<void> {
  let bytes = 0;
  const closed = new Promise((resolve) => to.once("close", resolve));
  while (!to.destroyed) {
    const piece = next();
    bytes += piece.length;
    onWritten(bytes);
    if (!to.write(piece)) await Promise.race([closed, new Promise((resolve) => to.once("drain", resolve))]);
  }
}

/** The answers of a server of the old era. */
export const oldAnswers: ScriptedServer["answers"] = {
  "server/discover": (_, response) => void response.writeHead(400).end(),
  initialize: (right, response) =>
    sendJson(
      response,
      answerTo(right, {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      }),
    ),
  "notifications/initialized": (_, response) => void response.writeHead(202).end(),
  "tools/list": (right, response) =>
    sendJson(response, answerTo(right, { tools: [{ name: "echo", inputSchema: { type: "object" } }] })),
};
