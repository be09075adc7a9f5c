import type { AddRoute } from "../../context.ts";
import { sendReferenceData } from "../../edge/http/reference-data.ts";
import { limitPerClient } from "../../edge/limits/rate-limit.ts";
import { ifNoneMatch, unchanged } from "../../schemas/common.ts";
import { modelListQuery, modelListReply } from "../../schemas/models.ts";
import { createModelLists } from "./model-lists.ts";

export const listModels: AddRoute = (app, { catalog, modelsRateLimitPerMinute }) => {
  const find = createModelLists(catalog);
  app.route({
    method: "GET",
    url: "/api/models",
    config: {
      errors: ["RATE_LIMITED"],
      sends: ["ETag", "Cache-Control", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    },
    onRequest: limitPerClient(app, modelsRateLimitPerMinute),
    schema: {
      operationId: "listModels",
      tags: ["Models"],
      summary: "List models and their prices",
      description: "The catalog comes with the release; the request reaches no provider.",
      querystring: modelListQuery,
      headers: ifNoneMatch,
      response: { 200: modelListReply, 304: unchanged },
    },
    handler: async (request, reply) => {
      sendReferenceData(reply, find(request.query.provider));
      return reply;
    },
  });
};
