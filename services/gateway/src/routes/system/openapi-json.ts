import { serversOf } from "../../openapi/servers.ts";
import { openObjectOf } from "../../schemas/common.ts";
import type { AddRoute } from "../app.ts";
import { sendJsonText } from "../send-json-text.ts";

export const openapiJson: AddRoute = (app, { publicUrl }) => {
  let text: string | undefined;
  app.route({
    method: "GET",
    url: "/openapi.json",
    schema: {
      operationId: "getOpenApi",
      tags: ["System"],
      summary: "Read this OpenAPI description",
      description: "The server in `servers` is the one that the request has reached.",
      response: { 200: openObjectOf("The OpenAPI 3.1 document.") },
    },
    handler: async (request, reply) => {
      text ??= JSON.stringify(app.swagger());
      const servers = JSON.stringify(serversOf(request, publicUrl));
      sendJsonText(reply, `{"servers":${servers},${text.slice(1)}`);
      return reply;
    },
  });
};
