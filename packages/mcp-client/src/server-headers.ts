import type { McpServer } from "./mcp-server.ts";

/** The headers of each request to the server, besides a bearer token. */
export function serverHeaders({ headers, auth }: McpServer): Record<string, string> {
  return auth.type === "header" ? { ...headers, [auth.name]: auth.value.reveal() } : headers;
}

/** Whatever must not appear in a message. */
export function secretsOf({ auth, headers }: McpServer): string[] {
  return [...Object.values(headers), ...secretsIn(auth)];
}

function secretsIn(auth: McpServer["auth"]): string[] {
  switch (auth.type) {
    case "none":
      return [];
    case "bearer":
      return [auth.token.reveal()];
    case "header":
      return [auth.value.reveal()];
    case "client-credentials":
      return [auth.clientSecret.reveal()];
    case "private-key-jwt":
      return [auth.privateKey.reveal()];
  }
}
