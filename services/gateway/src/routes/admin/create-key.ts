import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { createKeyBody, createKeyReply } from "../../schemas/admin.ts";
import { toSpendingLimits } from "../../schemas/monthly-limits.ts";
import { agentOf, findAgent } from "../agents/agent-named.ts";
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
      const { name, permissions, projectId, limits } = request.body;
      const expiresAt = expiryOf(request.body.expiresAt);
      const agentId = await onlyAgent(context, request, request.body);
      const { apiKey, secret } = await context.auth.createApiKey(
        {
          name,
          permissions,
          ...(projectId == null ? {} : { projectId }),
          ...(agentId === undefined ? {} : { agentId }),
          ...(expiresAt ? { expiresAt } : {}),
          ...(limits && { limits: toSpendingLimits(limits) }),
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

/**
 * The id of the agent that the key is for. Throws INVALID_REQUEST for one that the key's project does not have: such a key would
 * never work.
 */
async function onlyAgent(
  context: GatewayContext,
  request: FastifyRequest,
  { projectId, permissions, ...body }: Static<typeof createKeyBody>,
): Promise<string | undefined> {
  if ((body.agentId ?? body.agentSlug) == null) return undefined;
  const named = agentOf(body);
  const caller = callerOf(request);
  const { anyProject, projectId: own } = caller.principal;
  const target = projectId ?? own;
  // The auth service refuses the request, and nothing of another project must show before that.
  if (target !== own && !anyProject) return named.agentId;
  const call = callFor(context, request, caller.inProject(target));
  const isForWorkforce = permissions.every((permission) => permission === "workforce");
  try {
    if (!isForWorkforce) return await findAgent(context, request, named, call);
    await context.workforce.readHiredAgent({ agentId: named.agentId }, call);
    return named.agentId;
  } catch (error) {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    const message = isForWorkforce ? noWorkforceAgent : noAgent;
    throw badRequest("body", [{ path: named.agentSlug === "" ? "agentId" : "agentSlug", message }]);
  }
}

const noAgent =
  "does not name an agent of the project; see GET /api/agents, and send a slug as agentSlug. A key for a workforce agent has the permission workforce and no other";
const noWorkforceAgent =
  "is not the id of a workforce agent of the project; see GET /api/admin/workforce/agents. A key for another agent has other permissions";
