import type { FastifyReply } from "fastify";
import { limitPerClient } from "../../http/rate-limit.ts";
import { modelListQuery, modelListReply, modelListUnchanged } from "../../schemas/models.ts";
import type { AddRoute } from "../app.ts";
import { isNamedBy } from "./if-none-match.ts";
import { createModelLists, type ModelList } from "./model-lists.ts";

export const listModels: AddRoute = (app, { catalog, modelsRateLimitPerMinute }) => {
  const find = createModelLists(catalog);
  app.route({
    method: "GET",
    url: "/api/models",
    config: { access: "public" },
    onRequest: limitPerClient(app, modelsRateLimitPerMinute),
    schema: {
      tags: ["Models"],
      summary: "List models and their prices",
      querystring: modelListQuery,
      response: { 200: modelListReply, 304: modelListUnchanged },
    },
    handler: async (request, reply) => {
      send(reply, find(request.query.provider));
      return reply;
    },
  });
};

/** Bytes pass the serialiser by. */
function send(reply: FastifyReply, { body, etag }: ModelList): void {
  reply.headers({ etag, "cache-control": "public, max-age=300" });
  if (isNamedBy(reply.request.headers["if-none-match"], etag)) reply.code(304).send();
  else reply.type("application/json; charset=utf-8").send(body);
}
