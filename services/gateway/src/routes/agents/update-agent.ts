import { formatMessage } from "@muster/language/messages";
import { Format } from "@muster/proto/agents";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { etagOf } from "../../edge/http/revisions.ts";
import { agentChangeReply, agentParams, agentQuery, updateAgentBody } from "../../schemas/agents.ts";
import { ifMatch } from "../../schemas/common.ts";
import { agentRef, changeMessage } from "./agent-messages.ts";
import { mcpServerSlugs } from "./mcp-server-slugs.ts";
import { versionToExpect } from "./version-to-expect.ts";

export const updateAgent: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/agents/:id",
    config: { errors: ["INVALID_DEFINITION", "VERSION_MISMATCH"], sends: ["ETag"] },
    schema: {
      operationId: "updateAgent",
      tags: ["Agents"],
      summary: "Update an agent, which creates a new version",
      description: "An update without changes creates no version, as the `ETag` shows.",
      params: agentParams,
      querystring: agentQuery,
      headers: ifMatch,
      body: updateAgentBody,
      response: { 200: agentChangeReply },
    },
    handler: async (request, reply) => {
      const changes = changesOf(request.body);
      const agent = agentRef(request.params.id, request.query.by);
      const expectedVersion = await versionToExpect(context, request, agent);
      const { agentId, version, issues } = await context.agents.updateAgent(
        {
          agent,
          ...(expectedVersion === undefined ? {} : { expectedVersion }),
          ...changes,
          ...(await mcpServerSlugs(context, request)),
        },
        callFor(context, request),
      );
      return reply
        .header("etag", etagOf(version))
        .send({ agentId, message: changeMessage("Agent updated", issues) });
    },
  });

function changesOf({
  settings = {},
  protocol,
  prompts,
  references,
  managed,
}: Static<typeof updateAgentBody>) {
  if (settings.slug !== undefined) {
    throw badRequest("body", [{ path: "settings.slug", message: "cannot be changed; leave it out" }]);
  }
  const { name, description, format } = settings;
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(prompts === undefined ? {} : { prompts: { prompts } }),
    ...(references === undefined ? {} : { references: { references } }),
    ...(managed === undefined ? {} : { managed }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    format: format === undefined ? Format.UNSPECIFIED : formatMessage(format),
  };
}
