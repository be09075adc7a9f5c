import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import {
  computerTokensParams,
  createComputerTokenBody,
  createComputerTokenReply,
} from "../../schemas/computers.ts";
import { expiryOf } from "../admin/admin-json.ts";
import { computerTokenJson, tokenPlaces } from "./computer-json.ts";

export const createComputerToken: AddRoute = (app, context) => {
  for (const place of tokenPlaces)
    app.route({
      method: "POST",
      url: `${place.url}`,
      config: { sends: ["Cache-Control"] },
      schema: {
        operationId: `create${place.operation}`,
        tags: ["Computers"],
        summary: "Create a token with which a computer connects",
        description: "The token connects this computer and permits nothing else. It is shown only once.",
        params: computerTokensParams,
        body: createComputerTokenBody,
        response: { 201: createComputerTokenReply },
      },
      handler: async (request, reply) => {
        const expiresAt = expiryOf(request.body.expiresAt);
        const { token, secret, computerId } = await context.computers.createComputerToken(
          {
            computer: { case: place.case, value: request.params.id },
            name: request.body.name,
            ...(expiresAt && { expiresAt }),
          },
          callFor(context, request),
        );
        if (!token) throw internalProblem(new Error("CreateComputerToken returned no token"));
        return reply
          .code(201)
          .header("cache-control", "no-store")
          .send({ ...computerTokenJson(token), computerId, token: secret });
      },
    });
};
