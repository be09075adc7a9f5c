import { create } from "@bufbuild/protobuf";
import { ListMcpServersResponseSchema } from "@muster/proto/auth";
import { adminOf } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toMcpServer } from "./to-mcp-server.ts";

export const listMcpServers: Handler<"listMcpServers"> = async (context, _request, call) => {
  const { projectId } = adminOf(call);
  const servers = await context.mcpServers.list(projectId);
  return create(ListMcpServersResponseSchema, { mcpServers: servers.map((server) => toMcpServer(server)) });
};
