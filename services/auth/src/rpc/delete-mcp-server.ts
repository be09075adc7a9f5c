import { adminOf, revisionMismatch } from "@muster/rpc";
import { projectChangedEvent } from "../events.ts";
import { unknownMcpServer } from "./get-mcp-server.ts";
import type { Handler } from "./handler.ts";

export const deleteMcpServer: Handler<"deleteMcpServer"> = async (
  context,
  { id, expectedRevisions },
  call,
) => {
  const { projectId } = adminOf(call);
  const event = projectChangedEvent(context, projectId);
  const entry = context.auditEntry(call, "mcp-server.delete", { projectId, target: id });
  const now = new Date(context.clock.now());
  const outcome = await context.mcpServers.remove({ projectId, id }, now, event, entry, expectedRevisions);
  if (outcome === "unknown") throw unknownMcpServer();
  if (outcome === "changed") throw revisionMismatch("MCP server");
  context.outboxes.mcp_servers.wake();
  return {};
};
