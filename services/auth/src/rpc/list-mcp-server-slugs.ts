import { create } from "@bufbuild/protobuf";
import { ListMcpServerSlugsResponseSchema } from "@muster/proto/auth";
import { callerOf, forbidden, refuseToken, requirePermission } from "@muster/rpc";
import type { Handler } from "./handler.ts";

export const listMcpServerSlugs: Handler<"listMcpServerSlugs"> = async (context, _request, call) => {
  const caller = refuseToken(callerOf(call), "list MCP servers");
  requirePermission(caller, "agents");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot list MCP servers.");
  const servers = await context.mcpServers.list(caller.projectId);
  return create(ListMcpServerSlugsResponseSchema, { slugs: servers.map(({ slug }) => slug) });
};
