import { largeFrom } from "@muster/large-data";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isNamedBy, sendUnchanged } from "../../edge/http/conditions.ts";
import { sendLargeJson } from "../../edge/http/json-text.ts";
import { etagOf } from "../../edge/http/revisions.ts";
import { agentParams, agentReply, agentVersionQuery } from "../../schemas/agents.ts";
import { ifNoneMatch, unchanged } from "../../schemas/common.ts";
import { agentRef, storedFormatOf } from "./agent-messages.ts";

export const getAgent: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agents/:id",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getAgent",
      tags: ["Agents"],
      summary: "Read an agent at its latest or a given version",
      description: "An archived agent is 404.",
      params: agentParams,
      querystring: agentVersionQuery,
      headers: ifNoneMatch,
      response: { 200: agentReply, 304: unchanged },
    },
    handler: async (request, reply) => {
      const { by, version } = request.query;
      const { agent } = await context.agents.getAgent(
        {
          agent: agentRef(request.params.id, by),
          ...(version === undefined ? {} : { version: Number(version) }),
        },
        callFor(context, request),
      );
      const { settings, protocol = "", prompts = [], references = [] } = agent?.definition ?? {};
      if (!agent || !settings) throw internalProblem(new Error("GetAgent returned no agent"));
      const etag = etagOf(agent.version);
      reply.header("etag", etag);
      // A slug can move to another agent with the same version, so the tag does not identify the content there.
      if (by !== "slug" && isNamedBy(request.headers["if-none-match"], etag)) {
        sendUnchanged(reply);
        return reply;
      }
      const { slug, name, description, format } = settings;
      const shown = {
        id: agent.id,
        settings: {
          slug,
          name,
          ...(description === undefined ? {} : { description }),
          format: storedFormatOf(format),
        },
        protocol,
      };
      const contents = [...prompts, ...references].reduce((sum, { content }) => sum + content.length, 0);
      if (contents < largeFrom) return reply.send({ ...shown, prompts, references });
      const lists = {
        prompts: prompts.map(({ name, content }) => ({ name, content })),
        references: references.map(({ name, description, content }) => ({ name, description, content })),
      };
      sendLargeJson(reply, piecesOf(shown, lists));
      return reply;
    },
  });

/** The JSON of an object with further lists, of which each item is a piece. */
function* piecesOf(object: object, lists: Readonly<Record<string, readonly object[]>>): Generator<string> {
  yield JSON.stringify(object).slice(0, -1);
  for (const [name, items] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    for (const [index, item] of items.entries()) yield (index === 0 ? "" : ",") + JSON.stringify(item);
    yield "]";
  }
  yield "}";
}
