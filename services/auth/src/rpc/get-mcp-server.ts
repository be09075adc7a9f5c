import { create } from "@bufbuild/protobuf";
import { GetMcpServerResponseSchema } from "@muster/proto/auth";
import { adminOf, Reason, rpcError } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toMcpServer } from "./to-mcp-server.ts";

export const getMcpServer: Handler<"getMcpServer"> = async (context, { id }, call) => {
  const { projectId } = adminOf(call);
  const server = await context.mcpServers.find(projectId, id);
  if (server === null) throw unknownMcpServer();
  return create(GetMcpServerResponseSchema, { mcpServer: toMcpServer(server) });
};

/** Also thrown for another project's, so that its existence does not leak. */
export function unknownMcpServer() {
  return rpcError(Reason.NOT_FOUND, "The MCP server does not exist in this project.");
}
