import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../errors/from-any.ts";
import { HttpProblem } from "../../errors/http-problem.ts";
import { readIfMatch } from "../../http/entity-tags.ts";
import type { agentRef } from "./agent-ref.ts";
import { versionsIn } from "./etag.ts";

/**
 * The version that a change may be based on, as If-Match demands; undefined when any will do. Throws
 * INVALID_REQUEST for what cannot be read, and VERSION_MISMATCH when none can match, so the agents service is left to
 * compare one version with the current one as it writes.
 */
export async function versionToExpect(
  context: GatewayContext,
  request: FastifyRequest,
  agent: ReturnType<typeof agentRef>,
): Promise<number | undefined> {
  const header = request.headers["if-match"];
  const condition = header === undefined ? "*" : readIfMatch(header);
  if (condition === undefined) throw malformed();
  if (condition === "*") return undefined;
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

function malformed(): HttpProblem {
  const issue = { path: "headers.if-match", message: 'must be a version in quotes, like "3", or *' };
  return badRequest("If-Match header", [issue]);
}
