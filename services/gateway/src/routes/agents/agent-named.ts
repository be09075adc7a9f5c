import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { agentRef } from "./agent-messages.ts";

/** An agent in a body or a query. */
interface Named {
  agentId?: string | null | undefined;
  agentSlug?: string | null | undefined;
}

/** The two members, one of them empty. Throws INVALID_REQUEST unless the agent is named in exactly one way. */
export function agentOf(named: Named, within: "body" | "querystring" = "body") {
  const [agentId, agentSlug] = [named.agentId ?? "", named.agentSlug ?? ""];
  if ((agentId === "") === (agentSlug === ""))
    throw badRequest(within, [{ path: "agentId", message: "must be given, or agentSlug, but not both" }]);
  return { agentId, agentSlug };
}

/** The id of the agent. It is looked up only if it is named by its slug: then throws NOT_FOUND unless it exists. */
export async function agentIdOf(
  context: GatewayContext,
  request: FastifyRequest,
  { agentId, agentSlug }: ReturnType<typeof agentOf>,
  call = callFor(context, request),
): Promise<string> {
  if (agentSlug === "") return agentId;
  const { agentId: found } = await context.agents.resolveAgent({ agent: agentRef(agentSlug, "slug") }, call);
  return found;
}
