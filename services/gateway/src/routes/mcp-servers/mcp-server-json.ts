import type { MessageInitShape } from "@bufbuild/protobuf";
import type { McpAuthSchema, McpServer } from "@muster/proto/auth";
import type { Static } from "@muster/wire/schema";
import { badRequest } from "../../edge/errors/from-any.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf } from "../../schemas/iso.ts";
import { type mcpAuthBody, mcpAuthFields, type mcpServerReply } from "../../schemas/mcp-servers.ts";

type AuthBody = Static<typeof mcpAuthBody>;

/** The public fields of an MCP server. */
export function mcpServerJson(server: McpServer | undefined): Static<typeof mcpServerReply> {
  if (server?.auth === undefined) throw internalProblem(new Error("The MCP server is incomplete"));
  return {
    id: server.id,
    projectId: server.projectId,
    slug: server.slug,
    url: server.url,
    auth: authJson(server.auth),
    headerNames: Object.keys(server.headers).sort(),
    tools: server.tools.length === 0 ? null : server.tools,
    idleTimeoutMs: server.idleTimeoutMs,
    timeoutMs: server.timeoutMs,
    enabled: server.enabled,
    ...{ revision: server.revision, managed: server.managed },
    createdAt: isoOf(server.createdAt),
    updatedAt: isoOf(server.updatedAt),
  };
}

/** Names each field: a secret must not get out, should a service ever send one. */
function authJson({ type }: Pick<NonNullable<McpServer["auth"]>, "type">) {
  switch (type.case) {
    case undefined:
      return { type: "none" as const };
    case "bearer":
      return { type: "bearer" as const };
    case "header":
      return { type: "header" as const, name: type.value.name };
    case "clientCredentials":
      return { type: "client-credentials" as const, ...clientOf(type.value) };
    case "privateKeyJwt":
      return { type: "private-key-jwt" as const, ...clientOf(type.value), algorithm: type.value.algorithm };
  }
}

type Client = { [Name in "clientId" | "issuer" | "scope"]?: string | undefined };

/** The fields of a client of an authorization server, in JSON as in messages. */
function clientOf({ clientId = "", issuer, scope }: Client) {
  return { clientId, ...(issuer !== undefined && { issuer }), ...(scope !== undefined && { scope }) };
}

type AuthMessage = MessageInitShape<typeof McpAuthSchema>;

/** Throws INVALID_REQUEST for fields of another type: a secret at the wrong place would be lost. */
export function readMcpAuth(auth: AuthBody): AuthMessage {
  const { type, ...fields } = auth;
  const known: readonly string[] = mcpAuthFields[type];
  const strays = Object.keys(fields).filter((field) => !known.includes(field));
  if (strays.length > 0) {
    const message = `does not belong to the type ${type}, which has ${known.join(", ") || "no other fields"}`;
    throw badRequest(
      "body",
      strays.map((field) => ({ path: `auth.${field}`, message })),
    );
  }
  const { token = "", name = "", value = "", clientSecret = "", privateKey = "", algorithm = "" } = fields;
  switch (type) {
    case "none":
      return {};
    case "bearer":
      return { type: { case: "bearer", value: { token } } };
    case "header":
      return { type: { case: "header", value: { name, value } } };
    case "client-credentials":
      return { type: { case: "clientCredentials", value: { ...clientOf(fields), clientSecret } } };
    case "private-key-jwt":
      return { type: { case: "privateKeyJwt", value: { ...clientOf(fields), privateKey, algorithm } } };
  }
}
