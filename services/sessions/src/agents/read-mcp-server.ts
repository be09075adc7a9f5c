import type { McpAuth, McpServer } from "@muster/mcp-client";
import type { McpAuth as AuthMessage, McpServer as ServerMessage } from "@muster/proto/auth";
import { Secret } from "@muster/service";

/** A registered server for the client, with its secrets. Undefined if only a newer version knows its credentials. */
export function readMcpServer({ id, slug, url, auth, ...settings }: ServerMessage): McpServer | undefined {
  const { headers, tools, idleTimeoutMs, timeoutMs } = settings;
  const read = readAuth(auth?.type ?? { case: undefined });
  if (read === undefined) return undefined;
  const allowed = tools.length === 0 ? {} : { tools };
  return { mcpServerId: id, slug, url, auth: read, headers, ...allowed, idleTimeoutMs, timeoutMs };
}

function readAuth(type: AuthMessage["type"]): McpAuth | undefined {
  switch (type.case) {
    case undefined:
      return { type: "none" };
    case "bearer":
      return { type: "bearer", token: new Secret(type.value.token) };
    case "header":
      return { type: "header", name: type.value.name, value: new Secret(type.value.value) };
    case "clientCredentials": {
      const clientSecret = new Secret(type.value.clientSecret);
      return { type: "client-credentials", ...clientOf(type.value), clientSecret };
    }
    case "privateKeyJwt": {
      const { privateKey, algorithm } = type.value;
      return {
        ...{ type: "private-key-jwt", ...clientOf(type.value) },
        ...{ privateKey: new Secret(privateKey), algorithm },
      };
    }
    default:
      return type satisfies never;
  }
}

type Client = { clientId: string } & { [Name in "issuer" | "scope"]?: string | undefined };

function clientOf({ clientId, issuer, scope }: Client) {
  return { clientId, ...(issuer && { issuer }), ...(scope && { scope }) };
}
