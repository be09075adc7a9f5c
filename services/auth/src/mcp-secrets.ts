import { openSecret, seal } from "@muster/rpc";
import type { AuthContext } from "./context.ts";
import type { McpServerRequest } from "./mcp-server-request.ts";
import type { McpServerDocument } from "./store/mcp-servers.ts";

type Place = Pick<McpServerDocument, "projectId" | "_id" | "url">;

/** The origin is part of it, so that no write to the store sends a secret elsewhere. */
function belongsTo({ projectId, _id, url }: Place, part: "auth" | "headers"): readonly string[] {
  return [projectId, "mcp-servers", _id, new URL(url).origin, part];
}

/** The stored fields of the secrets in a request, for a server with this URL. Null removes one. */
export function sealMcpSecrets(
  context: AuthContext,
  place: Place,
  { credentials, headers }: { [Part in "credentials" | "headers"]: McpServerRequest[Part] | undefined },
) {
  const names = Object.keys(headers ?? {}).sort();
  const secret = credentials?.secret;
  return {
    ...(credentials && {
      auth: credentials.auth,
      authSecret: secret === undefined ? null : seal(context, secret, belongsTo(place, "auth")),
    }),
    ...(headers && {
      headerNames: names,
      headers:
        names.length === 0 ? null : seal(context, JSON.stringify(headers), belongsTo(place, "headers")),
    }),
  };
}

/** The decrypted secrets of a server, or a sentence for users that says why there is none. */
export function openMcpSecrets(
  context: Pick<AuthContext, "secretBox" | "log">,
  server: McpServerDocument,
): { secret: string; headers: Record<string, string> } | { problem: string } {
  const open = (part: "auth" | "headers", title: string) => {
    const sealed = part === "auth" ? server.authSecret : server.headers;
    if (sealed === undefined) return { text: "" };
    return openSecret(context, sealed, belongsTo(server, part), `${title} of the MCP server ${server.slug}`);
  };
  const secret = open("auth", "The secret");
  const headers = open("headers", "The value of the headers");
  if ("problem" in secret) return secret;
  if ("problem" in headers) return headers;
  return { secret: secret.text, headers: headersOf(headers.text) };
}

/** It is authentic, so it is the text that `sealMcpSecrets` has written. */
function headersOf(text: string): Record<string, string> {
  if (text === "") return {};
  const parsed: unknown = JSON.parse(text);
  const entries = Object.entries(parsed ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
