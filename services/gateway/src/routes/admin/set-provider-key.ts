import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { providerKeyParams, providerKeyReply, setProviderKeyBody } from "../../schemas/provider-keys.ts";
import { providerKeyJson, providerOf } from "./admin-json.ts";

export const setProviderKey: AddRoute = (app, context) =>
  app.route({
    method: "PUT",
    url: "/api/admin/projects/:projectId/provider-keys/:provider",
    schema: {
      operationId: "setProviderKey",
      tags: ["Administration"],
      summary: "Set the project's own key for a model provider",
      description:
        "Stores the key encrypted, in place of an earlier one. Turns that begin later use it instead of the platform's key, within 5 s. No response ever contains it.",
      params: providerKeyParams,
      body: setProviderKeyBody,
      response: { 200: providerKeyReply },
    },
    handler: async (request) => {
      const { projectId } = request.params;
      const provider = providerOf(request.params.provider);
      const { key } = request.body;
      const { providerKey } = await context.auth.setProviderKey(
        { projectId, provider, key },
        callFor(context, request),
      );
      if (!providerKey) throw internalProblem(new Error("SetProviderKey returned no key"));
      return providerKeyJson(providerKey);
    },
  });
