import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type McpAuthSchema, type McpServer, McpServerSchema } from "@muster/proto/auth";
import { revisionOf } from "@muster/store";
import type { McpAuth, McpServerDocument } from "../store/mcp-servers.ts";

/** Without `secrets`, the names of the headers have empty values, and the credentials lack their secret. */
export function toMcpServer(
  server: McpServerDocument,
  { secret = "", headers = {} }: { secret?: string; headers?: Record<string, string> } = {},
): McpServer {
  return create(McpServerSchema, {
    ...{ id: server._id, projectId: server.projectId, slug: server.slug, url: server.url },
    auth: toAuth(server.auth, secret),
    headers: Object.fromEntries(server.headerNames.map((name) => [name, headers[name] ?? ""])),
    tools: server.tools,
    ...{ idleTimeoutMs: server.idleTimeoutMs, timeoutMs: server.timeoutMs, enabled: server.enabled },
    ...{ revision: revisionOf(server), managed: server.managed ?? false },
    createdAt: timestampFromDate(server.createdAt),
    updatedAt: timestampFromDate(server.updatedAt),
  });
}

function toAuth(auth: McpAuth, secret: string): MessageInitShape<typeof McpAuthSchema> {
  switch (auth.type) {
    case "none":
      return {};
    case "bearer":
      return { type: { case: "bearer", value: { token: secret } } };
    case "header":
      return { type: { case: "header", value: { name: auth.name, value: secret } } };
    case "client-credentials":
      return { type: { case: "clientCredentials", value: { ...auth, clientSecret: secret } } };
    case "private-key-jwt":
      return { type: { case: "privateKeyJwt", value: { ...auth, privateKey: secret } } };
  }
}
