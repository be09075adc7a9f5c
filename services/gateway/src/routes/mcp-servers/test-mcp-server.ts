import type { TestMcpServerResponse } from "@muster/proto/sessions";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isMcpEra, isMcpStage, mcpServerParams, mcpServerTestReply } from "../../schemas/mcp-servers.ts";

export const testMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/mcp-servers/:id/test",
    schema: {
      operationId: "testMcpServer",
      tags: ["Administration"],
      summary: "Connect to an MCP server and list its tools",
      description:
        "Takes up to 20 s. Also tests a server that is not enabled. A server that cannot be used is a successful test with `ok: false`.",
      params: mcpServerParams,
      response: { 200: mcpServerTestReply },
    },
    handler: async (request) =>
      reportJson(await context.sessions.testMcpServer(request.params, callFor(context, request))),
  });

function reportJson({ result, latencyMs }: TestMcpServerResponse): Static<typeof mcpServerTestReply> {
  if (result.case === "problem" && isMcpStage(result.value.stage)) {
    const { stage, problem } = result.value;
    return { ok: false, stage, problem, latencyMs };
  }
  if (result.case === "report" && isMcpEra(result.value.era)) {
    const { era, protocolVersion, name, version = "", tools, problems } = result.value;
    return {
      ...{ ok: true, era, protocolVersion, server: name === undefined ? null : { name, version } },
      tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
      ...{ problems, latencyMs },
    };
  }
  throw internalProblem(new Error("TestMcpServer returned no known result"));
}
