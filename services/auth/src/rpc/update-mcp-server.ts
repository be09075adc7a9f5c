import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import { UpdateMcpServerResponseSchema } from "@muster/proto/auth";
import { adminOf, revisionMismatch } from "@muster/rpc";
import { isAtRevision } from "@muster/store";
import { projectChangedEvent } from "../events.ts";
import { sealMcpSecrets } from "../mcp-secrets.ts";
import { parseMcpServerChanges } from "../mcp-server-request.ts";
import type { McpServerDocument } from "../store/mcp-servers.ts";
import { unknownMcpServer } from "./get-mcp-server.ts";
import type { Handler } from "./handler.ts";
import { toMcpServer } from "./to-mcp-server.ts";

export const updateMcpServer: Handler<"updateMcpServer"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const server = await context.mcpServers.find(projectId, request.id);
  if (server === null) throw unknownMcpServer();
  if (!isAtRevision(server, request.expectedRevisions)) throw revisionMismatch("MCP server");
  const { credentials, headers, ...settings } = parseMcpServerChanges(request, server);
  const place = { ...server, ...settings };
  const changes = { ...settings, ...sealMcpSecrets(context, place, { credentials, headers }) };
  if (Object.keys(changes).length === 0) return responseOf(server);
  const now = new Date(context.clock.now());
  const event = projectChangedEvent(context, projectId);
  const after = { ...settings, ...(credentials && { auth: credentials.auth }) };
  const entry = context.auditEntry(call, "mcp-server.update", {
    ...{ projectId, target: server._id, before: sameFields(server, after), after },
  });
  const changed = await context.mcpServers.update(server, changes, now, event, entry);
  // Another change came first: whether this one may keep the secrets depends on the URL that it has left.
  if (changed === null) return updateMcpServer(context, request, call);
  context.outboxes.mcp_servers.wake();
  return responseOf(changed);
};

function responseOf(server: McpServerDocument) {
  return create(UpdateMcpServerResponseSchema, { mcpServer: toMcpServer(server) });
}
