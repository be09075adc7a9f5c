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

/** The id of an active agent of the project. Throws NOT_FOUND. */
export async function findAgent(
  context: GatewayContext,
  request: FastifyRequest,
  { agentId, agentSlug }: ReturnType<typeof agentOf>,
  call = callFor(context, request),
): Promise<string> {
  const agent = agentSlug === "" ? agentRef(agentId, "id") : agentRef(agentSlug, "slug");
  return (await context.agents.resolveAgent({ agent }, call)).agentId;
}

/** The same, but an agent that is named by its id is not read. */
export async function agentIdOf(
  context: GatewayContext,
  request: FastifyRequest,
  named: ReturnType<typeof agentOf>,
): Promise<string> {
  return named.agentSlug === "" ? named.agentId : findAgent(context, request, named);
}
