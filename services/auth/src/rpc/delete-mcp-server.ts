import { adminOf } from "@muster/rpc";
import { projectChangedEvent } from "../events.ts";
import { unknownMcpServer } from "./get-mcp-server.ts";
import type { Handler } from "./handler.ts";

export const deleteMcpServer: Handler<"deleteMcpServer"> = async (context, { id }, call) => {
  const { projectId } = adminOf(call);
  const event = projectChangedEvent(context, projectId);
  const outcome = await context.mcpServers.remove({ projectId, id }, new Date(context.clock.now()), event);
  if (outcome === "unknown") throw unknownMcpServer();
  context.outboxes.mcp_servers.wake();
  return {};
};
