import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { setToolSecretBody, toolSecretParams, toolSecretReply } from "../../schemas/tool-hosts.ts";
import { toolSecretJson } from "./admin-json.ts";

export const setToolSecret: AddRoute = (app, context) =>
  app.route({
    method: "PUT",
    url: "/api/admin/projects/:projectId/tool-secrets/:host",
    schema: {
      operationId: "setToolSecret",
      tags: ["Administration"],
      summary: "Set the secret that signs the platform's calls of HTTP tools on a host",
      description:
        "Stores the secret encrypted, in place of an earlier one. Calls use it within 5 s. Only the response to a request without `secret` contains one.",
      params: toolSecretParams,
      body: setToolSecretBody,
      response: { 200: toolSecretReply },
    },
    handler: async (request) => {
      const { toolSecret, generated } = await context.auth.setToolSecret(
        { ...request.params, ...request.body },
        callFor(context, request),
      );
      if (!toolSecret) throw internalProblem(new Error("SetToolSecret returned no secret"));
      return { ...toolSecretJson(toolSecret), ...(generated !== undefined && { secret: generated }) };
    },
  });
