import { object, oneOf, optional, Type, text } from "@muster/wire/schema";
import type { FastifyRequest, RouteOptions } from "fastify";
import type { AddRoute } from "../../context.ts";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";
import { endProgress } from "../../edge/limits/admission.ts";
import { openObjectOf } from "../../schemas/common.ts";
import { callIdSchema, responseSchema, responsesOf, rpcErrorOf } from "../json-rpc.ts";

const message = object(
  "McpMessage",
  "A message of the Model Context Protocol.",
  {
    jsonrpc: Type.Literal("2.0"),
    id: optional(callIdSchema),
    method: text("`tools/list`, `tools/call` and so on.", { maxLength: 200 }),
    params: optional(openObjectOf("The parameters of the method.")),
  },
  { additionalProperties: true },
);

const response = responseSchema("McpResponse", "the Model Context Protocol");

const query = Type.Object({
  access: optional(
    oneOf("`read`: only the tools that change nothing. Default: all that the key may use.", [
      "read",
      "write",
    ]),
  ),
});

export const callMcp: AddRoute = (app) => {
  const routes = new Map<string, RouteOptions>();
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) routes.set(`${method} ${route.url}`, route);
  });
  const load = async () => (await import("./serve-mcp.ts")).serveMcp;
  let loaded: ReturnType<typeof load> | undefined;
  app.route({
    method: "POST",
    url: "/mcp",
    config: {
      produces: ["application/json", "text/event-stream"],
      errorBody,
      errorSchema: response,
    },
    schema: {
      operationId: "callMcp",
      tags: ["Dialects"],
      summary: "Use the platform as an MCP server",
      description:
        "Serves the versions 2026-07-28 and 2025-11-25, without sessions. Each tool is a route of this API; a client sees those that its key may use.",
      querystring: query,
      body: message,
      response: {
        200: responsesOf(response),
        202: Type.Null({ description: "A notification was accepted." }),
      },
    },
    handler: async (request, reply) => {
      loaded ??= load();
      const serve = await loaded;
      // The requests of its tools are in progress by themselves.
      endProgress(request);
      await serve(app, routes, request, reply);
      return reply;
    },
  });
};

function errorBody(problem: HttpProblem, request: FastifyRequest) {
  const { code, issues } = problem;
  return rpcErrorOf(problem, request, { code, requestId: request.id, ...(issues.length > 0 && { issues }) });
}
