import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { readIfMatch } from "../../edge/http/conditions.ts";
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
    `The current version of the agent is ${current}, which is not in If-Match. Read the agent again and repeat the change.`,
  );
}

function malformed(): HttpProblem {
  const issue = { path: "headers.if-match", message: 'must be a version in quotes, such as "3", or *' };
  return badRequest("If-Match header", [issue]);
}

/** The entity tag of a version: its number in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

const strongVersion = /^"([1-9][0-9]{0,8})"$/;

/** The versions in If-Match. Weak tags and unknown tags match none. */
function versionsIn(tags: readonly string[]): number[] {
  return tags.flatMap((tag) => strongVersion.exec(tag)?.[1] ?? []).map(Number);
}
