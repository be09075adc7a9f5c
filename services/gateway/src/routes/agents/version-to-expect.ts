import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import type { agentRef } from "./agent-messages.ts";

/**
 * The version that If-Match requires; undefined if any is allowed. Throws INVALID_REQUEST for a malformed header and
 * VERSION_MISMATCH if no version can match, so that the agents service only compares one version with the current one
 * as it writes.
 */
export async function versionToExpect(
  context: GatewayContext,
  request: FastifyRequest,
  agent: ReturnType<typeof agentRef>,
): Promise<number | undefined> {
  const expected = expectedRevisions(request);
  if (expected.length <= 1) return expected[0];
  const { versions } = await context.agents.listAgentVersions({ agent }, callFor(context, request));
  const current = versions[0]?.version;
  if (current !== undefined && expected.includes(current)) return current;
  throw new HttpProblem(
    "VERSION_MISMATCH",
    `The current version of the agent is ${current}, which is not in If-Match. Read the agent again and repeat the change.`,
  );
}
