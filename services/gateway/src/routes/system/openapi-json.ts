import { Type } from "typebox";
import type { AddRoute } from "../app.ts";
import { sendJsonText } from "../send-json-text.ts";

export const openapiJson: AddRoute = (app) => {
  let text: string | undefined;
  app.route({
    method: "GET",
    url: "/openapi.json",
    config: { access: "public" },
    schema: {
      tags: ["System"],
      summary: "Read this OpenAPI description",
      response: { 200: Type.Object({}, { additionalProperties: true }) },
    },
    handler: async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      sendJsonText(reply, text);
      return reply;
    },
  });
};
