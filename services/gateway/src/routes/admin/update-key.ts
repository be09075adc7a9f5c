import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { keyParams, listedKey, updateKeyBody } from "../../schemas/admin.ts";
import { toSpendingChanges } from "../../schemas/monthly-limits.ts";
import { listedKeyJson } from "./admin-json.ts";

export const updateKey: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/keys/:id",
    schema: {
      operationId: "updateKey",
      tags: ["Administration"],
      summary: "Change the monthly limits of an API key",
      description:
        "The limits count the use of models with the key and with the tokens that it has minted. Changes apply within five seconds.",
      params: keyParams,
      body: updateKeyBody,
      response: { 200: listedKey },
    },
    handler: async (request) => {
      const { limits } = request.body;
      const { apiKey } = await context.auth.updateApiKey(
        { id: request.params.id, ...(limits && { limits: toSpendingChanges(limits) }) },
        callFor(context, request),
      );
      if (!apiKey) throw internalProblem(new Error("UpdateApiKey returned no key"));
      return listedKeyJson(apiKey);
    },
  });
