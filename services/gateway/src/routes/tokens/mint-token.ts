import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { isoOf } from "../../schemas/iso.ts";
import { toMaxUsd } from "../../schemas/monthly-limits.ts";
import { mintTokenBody, mintTokenReply } from "../../schemas/tokens.ts";
import { agentIdOf, agentOf, findAgent } from "../agents/agent-named.ts";

/** The largest number that the call can carry. The auth service shortens every lifetime to a day. */
const maxTtlS = 2 ** 32 - 1;

export const mintToken: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/tokens",
    config: { sends: ["Cache-Control"] },
    schema: {
      operationId: "mintToken",
      tags: ["Tokens"],
      summary: "Mint a token for the sessions of one agent, or for one session",
      description:
        "A token for an agent can create and drive its sessions and execute it if it is a worker; a token for a session can only drive that one, and decide on its approvals if it was minted with `approve`. No token can do anything else. It stops working when it expires or is revoked, and with the key that minted it. A session of another agent is 403.",
      body: mintTokenBody,
      response: { 201: mintTokenReply },
    },
    handler: async (request, reply) => {
      const { sessionId, approve, subject, ttlSeconds } = request.body;
      const agentId = await agentInScope(context, request, request.body);
      const { token, tokenId, expiresAt } = await context.auth.mintToken(
        {
          agentId,
          ...(sessionId === undefined ? {} : { sessionId }),
          ...(approve === undefined ? {} : { approve }),
          ...toMaxUsd(request.body),
          ...(subject === undefined ? {} : { subject }),
          ...(ttlSeconds === undefined ? {} : { ttlSeconds: Math.min(ttlSeconds, maxTtlS) }),
        },
        callFor(context, request),
      );
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ token, jti: tokenId, expiresAt: isoOf(expiresAt) });
    },
  });

/**
 * The id of the agent. Throws NOT_FOUND for an agent or session that the project does not have, FORBIDDEN for a session of
 * another agent or subject. For a key for one agent, every session but those of the agent is FORBIDDEN.
 */
async function agentInScope(
  context: GatewayContext,
  request: FastifyRequest,
  { sessionId, subject, ...named }: Static<typeof mintTokenBody>,
): Promise<string> {
  if (sessionId === undefined) return findAgent(context, request, agentOf(named));
  const agentId = await agentIdOf(context, request, agentOf(named));
  const call = callFor(context, request);
  const isLimited = callerOf(request).principal.agentId !== undefined;
  const session = await context.sessions.locateSession({ sessionId }, call).catch((error: unknown) => {
    // A key for one agent does not learn which sessions the others have.
    if (isLimited && readRpcError(error).reason === Reason.NOT_FOUND) return undefined;
    throw error;
  });
  if (session?.agentId === agentId) {
    if (subject === undefined || session.subject === subject) return agentId;
    throw new HttpProblem("FORBIDDEN", "The session belongs to another subject, or to none.");
  }
  throw new HttpProblem(
    "FORBIDDEN",
    isLimited
      ? "The session does not belong to this agent. Mint the token for a session of the agent."
      : "The session belongs to another agent. Mint the token for its own agent.",
  );
}
