import type { AddRoute } from "../../context.ts";
import { sendReferenceData } from "../../edge/http/reference-data.ts";
import { ifNoneMatch, openObjectOf, unchanged } from "../../schemas/common.ts";
import { storeDocument } from "../../schemas/openapi/store-document.ts";

export const openapiJson: AddRoute = (app, { publicUrl }) => {
  const documentFor = storeDocument(app, publicUrl);
  app.route({
    method: "GET",
    url: "/openapi.json",
    config: { sends: ["ETag", "Cache-Control"] },
    schema: {
      operationId: "getOpenApi",
      tags: ["System"],
      summary: "Read this OpenAPI description",
      description: "The server in `servers` is the one that the request has reached.",
      headers: ifNoneMatch,
      response: { 200: openObjectOf("The OpenAPI 3.1 document."), 304: unchanged },
    },
    handler: async (request, reply) => {
      const { data, isKept } = await documentFor(request);
      await sendReferenceData(reply, data, { mayCompress: isKept });
      return reply;
    },
  });
};
