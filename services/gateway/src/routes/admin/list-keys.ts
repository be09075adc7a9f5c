import { type AddRoute, callFor } from "../../context.ts";
import { keyListReply } from "../../schemas/admin.ts";
import { listedKeyJson } from "./admin-json.ts";

export const listKeys: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/keys",
    schema: {
      operationId: "listKeys",
      tags: ["Administration"],
      summary: "List API keys, newest first, without their secrets",
      description: "Deleted keys are not listed.",
      response: { 200: keyListReply },
    },
    handler: async (request) => {
      const { apiKeys } = await context.auth.listApiKeys({}, callFor(context, request));
      return { keys: apiKeys.map(listedKeyJson) };
    },
  });
