import { type AddRoute, callFor } from "../../context.ts";
import { callbackSecretParams, rotatedSecretReply } from "../../schemas/webhooks.ts";
import { rotatedSecretJson } from "./webhook-json.ts";

export const rotateCallbackSecret: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/projects/:projectId/callback-secret",
    schema: {
      operationId: "rotateCallbackSecret",
      tags: ["Webhooks"],
      summary: "Create or replace the secret that signs callbacks of dispatches",
      description: "An earlier one also signs for 24 hours. Only this response contains the new one.",
      params: callbackSecretParams,
      response: { 200: rotatedSecretReply },
    },
    handler: async (request) => {
      const { projectId } = request.params;
      const call = callFor(context, request);
      return rotatedSecretJson(await context.webhooks.rotateCallbackSecret({ projectId }, call));
    },
  });
