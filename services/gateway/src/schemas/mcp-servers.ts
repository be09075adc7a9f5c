import { flag, integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { body, managed, revision, segmentOf, timeOf } from "./common.ts";
import { createMcpServerExample, updateMcpServerExample } from "./examples.ts";

export const mcpServerParams = Type.Object({ id: segmentOf("The id of the MCP server.") });

const slug = text(
  "Its name in `mcpServers` of definitions: lower-case words joined by dashes, and not `platform`, `shell` or `files`. Unique in the project; never changes.",
  { minLength: 1, maxLength: 64 },
);
const url = text("Its URL, http or https.", { minLength: 1, maxLength: 2_000 });
const limit = (description: string) => integer(description, { minimum: 1_000, maximum: 3_600_000 });
const idleTimeoutMs = limit("How long a call may go without progress, in milliseconds.");
const timeoutMs = limit("How long a call may take, in milliseconds.");
const enabled = flag("False if agents cannot use it.");
const tools = nullable(
  "The only tools that agents may use, by name or by a pattern with `*`; null for all.",
  Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: 128 }),
);

/** Which fields belong to which type. The secret is the first one. */
export const mcpAuthFields = {
  none: [],
  bearer: ["token"],
  header: ["value", "name"],
  "client-credentials": ["clientSecret", "clientId", "issuer", "scope"],
  "private-key-jwt": ["privateKey", "clientId", "algorithm", "issuer", "scope"],
} as const;

const authTypes = Object.keys(mcpAuthFields) as Array<keyof typeof mcpAuthFields>;
const type = oneOf("How the platform authenticates.", authTypes);
const shownAuth = {
  name: optional(text("With `header`: the name of the header.", { maxLength: 100 })),
  clientId: optional(text("With `client-credentials` and `private-key-jwt`.", { maxLength: 500 })),
  algorithm: optional(
    text("With `private-key-jwt`: the signature algorithm. Default: the usual one for the key.", {
      maxLength: 16,
    }),
  ),
  issuer: optional(
    text(
      "With `client-credentials` and `private-key-jwt`: the only authorization server that may receive the credentials. Default: the one that the MCP server names.",
      { maxLength: 500 },
    ),
  ),
  scope: optional(
    text("With `client-credentials` and `private-key-jwt`: the scopes to request, joined by spaces.", {
      maxLength: 1_000,
    }),
  ),
};

export const mcpAuthBody = object(
  "McpAuth",
  "The credentials of the platform. No response contains the secrets.",
  {
    type,
    token: optional(text("With `bearer`.", { maxLength: 4_096 })),
    value: optional(text("With `header`: its value.", { maxLength: 4_096 })),
    clientSecret: optional(text("With `client-credentials`.", { maxLength: 4_096 })),
    privateKey: optional(
      text("With `private-key-jwt`: a private key in PEM (PKCS 8), not encrypted.", { maxLength: 10_000 }),
    ),
    ...shownAuth,
  },
);

const headers = {
  ...Type.Unsafe<Record<string, string>>(
    Type.Object(
      {},
      { additionalProperties: Type.String({ minLength: 1, maxLength: 4_096 }), maxProperties: 20 },
    ),
  ),
  description:
    "Headers of every request to the server. Their values are treated as secrets: no response contains them.",
};

export const createMcpServerBody = body(
  "CreateMcpServerRequest",
  "The server, and how the platform authenticates to it.",
  createMcpServerExample,
  {
    slug,
    url,
    auth: optional(mcpAuthBody),
    headers: optional(headers),
    tools: optional(tools),
    idleTimeoutMs: optional({ ...idleTimeoutMs, default: 60_000 }),
    timeoutMs: optional({ ...timeoutMs, default: 600_000 }),
    enabled: optional({ ...enabled, default: true }),
    managed: optional(managed),
  },
);

export const updateMcpServerBody = body(
  "UpdateMcpServerRequest",
  "Absent members stay unchanged; `auth`, `headers` and `tools` are replaced as a whole. With a URL of another origin, send `auth` and `headers` again if they contain secrets.",
  updateMcpServerExample,
  {
    url: optional(url),
    auth: optional(mcpAuthBody),
    headers: optional(headers),
    tools: optional(tools),
    idleTimeoutMs: optional(idleTimeoutMs),
    timeoutMs: optional(timeoutMs),
    enabled: optional(enabled),
    managed: optional(managed),
  },
);

export const mcpServerReply = object(
  "McpServer",
  "A server of the Model Context Protocol whose tools the agents of the project can call.",
  {
    id: text("The id of the MCP server."),
    projectId: text("The project that it belongs to."),
    slug,
    url,
    auth: object("ShownMcpAuth", "The credentials of the platform, without secrets.", { type, ...shownAuth }),
    headerNames: list("The names of the headers that the platform sends.", Type.String()),
    tools,
    idleTimeoutMs,
    timeoutMs,
    enabled,
    revision,
    managed,
    createdAt: timeOf("When it was created."),
    updatedAt: timeOf("When it was last changed."),
  },
);

/** Where a test can fail: no allowed address, no response, no access, no MCP, no list of tools. */
const stages = ["address", "connection", "authorization", "negotiation", "listing"] as const;
const eras = ["modern", "legacy"] as const;

export function isMcpStage(text: string): text is (typeof stages)[number] {
  return stages.some((stage) => stage === text);
}

export function isMcpEra(text: string): text is (typeof eras)[number] {
  return eras.some((era) => era === text);
}

export const mcpServerListReply = object("McpServerList", "The MCP servers of the project.", {
  mcpServers: list("By slug.", mcpServerReply),
});

export const deleteMcpServerReply = object("DeletedMcpServer", "Agents no longer reach the server.", {
  id: text("The id of the MCP server."),
  deleted: flag("True."),
});

const latencyMs = integer("How long the test took, in milliseconds.");

export const mcpServerTestReply = Type.Union(
  [
    object("UsableMcpServer", "Agents can use the server.", {
      ok: Type.Literal(true, { description: "True." }),
      era: oneOf("`modern`: stateless, from version 2026-07-28; `legacy`: begins with `initialize`.", [
        ...eras,
      ]),
      protocolVersion: text("The negotiated version of the protocol."),
      server: nullable(
        "The server's own name and version; null if it does not say.",
        Type.Object({ name: text("Its name."), version: text("Its version.") }),
      ),
      tools: list(
        "The tools that agents can use, by name.",
        Type.Object({
          name: text("The server's name for it."),
          description: text("The server's description."),
        }),
      ),
      problems: list("One sentence for each tool that agents cannot use.", Type.String()),
      latencyMs,
    }),
    object("UnusableMcpServer", "Agents cannot use the server.", {
      ok: Type.Literal(false, { description: "False." }),
      stage: oneOf("The stage that failed.", [...stages]),
      problem: text("What is wrong, and what to do."),
      latencyMs,
    }),
  ],
  { description: "What the server said, or why agents cannot use it." },
);
