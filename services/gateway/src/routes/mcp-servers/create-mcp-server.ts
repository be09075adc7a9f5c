import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { createMcpServerBody, mcpServerReply } from "../../schemas/mcp-servers.ts";
import { mcpServerJson, readMcpAuth } from "./mcp-server-json.ts";

export const createMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/mcp-servers",
    config: { errors: ["SLUG_TAKEN"], sends: ["ETag"] },
    schema: {
      operationId: "createMcpServer",
      tags: ["Administration"],
      summary: "Register an MCP server for the agents of the project",
      description:
        "Definitions use it by its slug, with `source: remote`. Secrets are stored encrypted. A project has at most 50.",
      body: createMcpServerBody,
      response: { 201: mcpServerReply },
    },
    handler: async (request, reply) => {
      const { auth, tools, ...body } = request.body;
      const { mcpServer } = await context.auth.createMcpServer(
        { ...body, tools: tools ?? [], ...(auth && { auth: readMcpAuth(auth) }) },
        callFor(context, request),
      );
      return reply.code(201).send(sendRevision(reply, mcpServerJson(mcpServer)));
    },
  });
