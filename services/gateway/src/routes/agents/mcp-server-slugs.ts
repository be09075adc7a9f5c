import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";

/**
 * The field of an RPC that checks a definition: the MCP servers of the project, without which a definition that uses others
 * gets no warning. None if the auth service does not respond: that must not refuse a definition.
 */
export async function mcpServerSlugs(context: GatewayContext, request: FastifyRequest) {
  try {
    // Most of the request's time is for the check.
    const options = { ...callFor(context, request), timeoutMs: context.callTimeoutMs / 10 };
    const { slugs } = await context.auth.listMcpServerSlugs({}, options);
    return { mcpServers: { slugs } };
  } catch (error) {
    request.log.debug(
      { err: error },
      "a definition is checked without knowing the MCP servers of its project",
    );
    return {};
  }
}
