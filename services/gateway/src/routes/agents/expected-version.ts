import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../errors/http-problem.ts";
import type { agentRef } from "./agent-ref.ts";
import { readIfMatch, versionsIn } from "./etag.ts";

/**
 * The version that a change may be based on, as If-Match demands; undefined when any will do. Throws
 * VERSION_MISMATCH when none can match, so the agents service is left to compare one version with the current one
 * as it writes.
 */
export async function versionToExpect(
  context: GatewayContext,
  request: FastifyRequest,
  agent: ReturnType<typeof agentRef>,
): Promise<number | undefined> {
  const condition = readIfMatch(request.headers["if-match"]);
  if (condition === undefined || condition === "*") return undefined;
  const [first, ...others] = versionsIn(condition);
  if (first !== undefined && others.length === 0) return first;
  const { versions } = await context.agents.listAgentVersions({ agent }, callFor(context, request));
  const current = versions[0]?.version;
  if (current !== undefined && versionsIn(condition).includes(current)) return current;
  throw new HttpProblem(
    "VERSION_MISMATCH",
    `The agent is at version ${current}, which If-Match does not name. Read it again and repeat the change.`,
  );
}
