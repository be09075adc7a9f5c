import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/caller.ts";
import { callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../errors/from-any.ts";
import { internalProblem } from "../../errors/from-rpc.ts";
import { createKeyBody, createKeyReply } from "../../schemas/admin.ts";
import { agentRef } from "../agents/agent-ref.ts";
import type { AddRoute } from "../app.ts";
import { keyJson } from "./key-json.ts";

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
      const { name, permissions, projectId, agentId, expiresAt } = request.body;
      const expireTime = timeOf(expiresAt);
      if (agentId != null) await requireAgent(context, request, projectId, agentId);
      const { apiKey, secret } = await context.auth.createApiKey(
        {
          name,
          permissions,
          ...(projectId == null ? {} : { projectId }),
          ...(agentId == null ? {} : { agentId }),
          ...(expireTime ? { expireTime } : {}),
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
  projectId: string | null | undefined,
  agentId: string,
): Promise<void> {
  const caller = callerOf(request);
  const { anyProject, projectId: own } = caller.principal;
  const target = projectId ?? own;
  // The auth service refuses the request, and nothing of another project must show before that.
  if (target !== own && !anyProject) return;
  const call = callFor(context, request, caller.inProject(target));
  await context.agents.resolveAgent({ agent: agentRef(agentId, "id") }, call).catch((error: unknown) => {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    const message = "is not the id of an agent of the project; see GET /api/agents";
    throw badRequest("body", [{ path: "agentId", message }]);
  });
}

// With an offset or Z: a local time would mean a different instant on each server.
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function timeOf(text: string | null | undefined): Timestamp | undefined {
  if (text == null) return undefined;
  const timeMs = isoTime.test(text) && isInCalendar(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timeMs)) return timestampFromMs(timeMs);
  throw badRequest("body", [
    { path: "expiresAt", message: "must be an ISO 8601 time such as 2030-01-31T00:00:00Z" },
  ]);
}

/** `Date.parse` accepts the 31st of every month and returns a day of the next month. */
function isInCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
