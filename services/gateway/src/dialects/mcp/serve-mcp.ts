import {
  type CallToolResult,
  createMcpHandler,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { mayUse } from "../../auth/access.ts";
import { accessOf } from "../../auth/access-table.ts";
import { callerOf } from "../../auth/identity.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { App } from "../../edge/http/app.ts";
import { bounded } from "./bounded.ts";
import { type Answer, type Arguments, inputSchemaOf, RouteRequest, scalarOf } from "./route-request.ts";
import { type RouteTool, tools } from "./tools.ts";

const instructions =
  "Tools of a Muster server: agents and their sessions, workforce agents and their threads, approvals. Give work with muster_workforce_dispatch, then read its thread with a wait.";

/** A tool that the caller may use, with the route that it is. */
type Offered = RouteTool & { name: string; options: RouteOptions };

/** Answers one message. Nothing is kept between two. */
export async function serveMcp(
  app: App,
  routes: ReadonlyMap<string, RouteOptions>,
  request: FastifyRequest<{ Querystring: { access?: string } }>,
  reply: FastifyReply,
): Promise<void> {
  const offered = new Map(offeredTools(routes, request).map((tool) => [tool.name, tool]));
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const serverFor = () => {
    const server = new Server(
      { name: "muster", version: "1" },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler("tools/list", () => ({ tools: [...offered.values()].map(toolOf) }));
    server.setRequestHandler("tools/call", async ({ params }, call) => {
      const tool = offered.get(params.name);
      const signal = AbortSignal.any([left.signal, call.mcpReq.signal]);
      if (tool === undefined)
        return failure(`The tool ${params.name} does not exist, or the key may not use it.`);
      const route = new RouteRequest(app, request, tool.options, signal);
      try {
        return await callTool(route, tool, params.arguments ?? {}, call);
      } catch (error) {
        if (error instanceof HttpProblem) return failure(error.toJson(request.id));
        throw error;
      }
    });
    return server;
  };
  // No list changes while a client is connected, so that nothing can be subscribed to.
  const handler = createMcpHandler(serverFor, { maxSubscriptions: 0 });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  // Not the client's host, which need not be a valid one.
  const message = new Request("http://localhost/mcp", { method: "POST", headers, signal: left.signal });
  reply.send(await handler.fetch(message, { parsedBody: request.body }));
}

function offeredTools(
  routes: ReadonlyMap<string, RouteOptions>,
  request: FastifyRequest<{ Querystring: { access?: string } }>,
): Offered[] {
  const { principal } = callerOf(request);
  const isReader = request.query.access === "read";
  return Object.entries(tools).flatMap(([name, tool]) => {
    if (isReader && !tool.isRead) return [];
    for (const route of [tool.route, tool.route.replace("/api/admin/", "/api/v1/")]) {
      const options = routes.get(route);
      const [method = "", path = ""] = route.split(" ");
      const row = accessOf(method, path);
      if (options !== undefined && row !== undefined && mayUse(principal, row))
        return [{ name, ...tool, options }];
    }
    return [];
  });
}

function toolOf({ name, description, isRead = false, isDestructive = false, options, kind }: Offered) {
  const inputSchema = inputSchemaOf(options);
  if (kind === "read-thread")
    inputSchema.properties.wait = {
      type: "integer",
      minimum: 0,
      maximum: maxWaitSeconds,
      description: "Seconds.",
    };
  const annotations = { readOnlyHint: isRead, destructiveHint: isDestructive, openWorldHint: false };
  return { name, description, inputSchema, annotations };
}

const maxWaitSeconds = 60;
/** How long one request waits for a change of a thread. */
const stepSeconds = 10;

async function callTool(
  route: RouteRequest,
  { kind }: Offered,
  args: Arguments,
  call: ServerContext,
): Promise<CallToolResult> {
  if (kind === "deploy") return resultOf(await deploy(route, args));
  if (kind === "read-thread") return resultOf(await readThread(route, args, call));
  return resultOf(await route.send(args));
}

async function resultOf({ status, body }: Answer): Promise<CallToolResult> {
  const text = await bounded(body);
  return status < 400 ? { content: [{ type: "text", text }] } : failure(text);
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** A definition with the slug of an agent is its next version. */
async function deploy(route: RouteRequest, args: Arguments): Promise<Answer> {
  const created = await route.send(args);
  const { settings } = args;
  if (created.status !== 409 || typeof settings !== "object" || settings === null) return created;
  const { slug, ...rest }: { slug?: unknown } = settings;
  return route.sendTo("PATCH", `/api/agents/${encodeURIComponent(String(slug))}?by=slug`, {
    ...args,
    settings: rest,
  });
}

const working = /^\{"threadId":"[^"]*","status":"(pending|queued|running)"/;
const asking = /"waitingFor":\{"type":"approval"/;

/** Sends progress meanwhile, which keeps clients from abandoning the call. */
async function readThread(route: RouteRequest, args: Arguments, { mcpReq }: ServerContext): Promise<Answer> {
  const total = Math.min(maxWaitSeconds, Number(scalarOf(args, "wait") ?? 0) || 0);
  const progressToken = mcpReq._meta?.progressToken;
  const startMs = performance.now();
  let answer = await route.send({ ...args, wait: 0 });
  for (;;) {
    const progress = Math.round((performance.now() - startMs) / 1_000);
    if (progress >= total || !working.test(answer.body) || asking.test(answer.body)) return answer;
    if (progressToken !== undefined)
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total } });
    const wait = Math.min(stepSeconds, total - progress);
    const next = await route.send({ ...args, wait }, { "if-none-match": answer.etag });
    if (next.status !== 304) answer = next;
  }
}
