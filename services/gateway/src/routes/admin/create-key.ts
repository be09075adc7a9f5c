import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { createKeyBody, createKeyReply } from "../../schemas/admin.ts";
import { agentRef } from "../agents/agent-messages.ts";
import { expiryOf, keyJson } from "./admin-json.ts";

export const createKey: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/keys",
    config: { sends: ["Cache-Control"] },
    schema: {
      operationId: "createKey",
      tags: ["Administration"],
      summary: "Create an API key",
      description: "Returns the secret, which is shown only once.",
      body: createKeyBody,
      response: { 201: createKeyReply },
    },
    handler: async (request, reply) => {
      const { name, permissions, projectId, agentId } = request.body;
      const expiresAt = expiryOf(request.body.expiresAt);
      if (agentId != null) await requireAgent(context, request, request.body, agentId);
      const { apiKey, secret } = await context.auth.createApiKey(
        {
          name,
          permissions,
          ...(projectId == null ? {} : { projectId }),
          ...(agentId == null ? {} : { agentId }),
          ...(expiresAt ? { expiresAt } : {}),
        },
        callFor(context, request),
      );
      if (!apiKey) throw internalProblem(new Error("CreateApiKey returned no key"));
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...keyJson(apiKey), key: secret });
    },
  });

/** Throws INVALID_REQUEST for an agent that the key's project does not have. Such a key would never work. */
async function requireAgent(
  context: GatewayContext,
  request: FastifyRequest,
  { projectId, permissions }: Static<typeof createKeyBody>,
  agentId: string,
): Promise<void> {
  const caller = callerOf(request);
  const { anyProject, projectId: own } = caller.principal;
  const target = projectId ?? own;
  // The auth service refuses the request, and nothing of another project must show before that.
  if (target !== own && !anyProject) return;
  const call = callFor(context, request, caller.inProject(target));
  const isForWorkforce = permissions.every((permission) => permission === "workforce");
  const looked = isForWorkforce
    ? context.workforce.readHiredAgent({ agentId }, call)
    : context.agents.resolveAgent({ agent: agentRef(agentId, "id") }, call);
  await looked.catch((error: unknown) => {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    const message = isForWorkforce ? noWorkforceAgent : noAgent;
    throw badRequest("body", [{ path: "agentId", message }]);
  });
}

const noAgent =
  "is not the id of an agent of the project; see GET /api/agents. A key for a workforce agent has the permission workforce and no other";
const noWorkforceAgent =
  "is not the id of a workforce agent of the project; see GET /api/admin/workforce/agents. A key for another agent has other permissions";
