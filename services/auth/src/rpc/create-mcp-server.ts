import { create } from "@bufbuild/protobuf";
import { CreateMcpServerResponseSchema } from "@muster/proto/auth";
import { adminOf, Reason, rpcError } from "@muster/rpc";
import { projectChangedEvent } from "../events.ts";
import { sealMcpSecrets } from "../mcp-secrets.ts";
import { maxMcpServers, parseMcpServer } from "../mcp-server-request.ts";
import type { McpServerDocument } from "../store/mcp-servers.ts";
import type { Handler } from "./handler.ts";
import { requireProject } from "./require-project.ts";
import { toMcpServer } from "./to-mcp-server.ts";

export const createMcpServer: Handler<"createMcpServer"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const { slug, credentials, headers, ...settings } = parseMcpServer(request);
  await requireProject(context, projectId);
  if ((await context.mcpServers.count(projectId)) >= maxMcpServers) throw tooMany();
  const now = new Date(context.clock.now());
  const place = { _id: context.newId("mcp"), projectId, url: settings.url };
  const { authSecret, headers: values } = sealMcpSecrets(context, place, { credentials, headers });
  const server: McpServerDocument = {
    ...{ ...place, slug, ...settings, auth: credentials.auth, headerNames: Object.keys(headers).sort() },
    ...(authSecret && { authSecret }),
    ...(values && { headers: values }),
    ...{ createdAt: now, updatedAt: now, outbox: [projectChangedEvent(context, projectId)] },
    audit: [
      context.auditEntry(call, "mcp-server.create", {
        ...{ projectId, target: place._id, after: { slug, ...settings, auth: credentials.auth } },
      }),
    ],
  };
  if (!(await context.mcpServers.insert(server))) throw slugTaken(slug);
  context.outboxes.mcp_servers.wake();
  return create(CreateMcpServerResponseSchema, { mcpServer: toMcpServer(server) });
};

function slugTaken(slug: string) {
  const message = `The project already has an MCP server with the slug ${slug}. Choose another slug, or change or delete that server.`;
  return rpcError(Reason.SLUG_TAKEN, message);
}

function tooMany() {
  const message = `The project has ${maxMcpServers} MCP servers already. Delete one that is not needed.`;
  return rpcError(Reason.INVALID_REQUEST, message);
}
