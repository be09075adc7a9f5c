import type { AgentKey } from "@muster/proto/workforce";
import { type AddRoute, callFor } from "../../../context.ts";
import { internalProblem } from "../../../edge/errors/from-rpc.ts";
import { isoOf, optionalIsoOf } from "../../../schemas/iso.ts";
import {
  createAgentKeyBody,
  createAgentKeyReply,
  hiredAgentParams,
} from "../../../schemas/workforce-admin.ts";
import { expiryOf } from "../../admin/admin-json.ts";

export const createAgentKey: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents/:id/keys",
    config: { sends: ["Cache-Control"] },
    schema: {
      operationId: "createAgentKey",
      tags: ["Workforce administration"],
      summary: "Create a key of a workforce agent",
      description: "The key can use this agent and nothing else. It is shown only once.",
      params: hiredAgentParams,
      body: createAgentKeyBody,
      response: { 201: createAgentKeyReply },
    },
    handler: async (request, reply) => {
      const expiresAt = expiryOf(request.body.expiresAt);
      const { key, secret } = await context.workforce.createAgentKey(
        { agentId: request.params.id, name: request.body.name, ...(expiresAt && { expiresAt }) },
        callFor(context, request),
      );
      if (!key) throw internalProblem(new Error("CreateAgentKey returned no key"));
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...agentKeyJson(key), key: secret });
    },
  });

/** A key of a workforce agent, without its secret. */
export function agentKeyJson({ id, name, createdAt, expiresAt }: AgentKey) {
  return { id, name, createdAt: isoOf(createdAt), expiresAt: optionalIsoOf(expiresAt) };
}
