import type { JsonObject, JsonValue } from "@muster/language/json";
import type { Secret } from "@muster/service";

/** A registered server with its credentials. Any change of a field makes it another one for all caches. */
export interface McpServer {
  mcpServerId: string;
  /** Its name in definitions, logs and messages. */
  slug: string;
  url: string;
  auth: McpAuth;
  /** Sent with each request to the server, and to no other. */
  headers: Record<string, string>;
  /** Names of the tools to offer, with `*` for any characters. Default: all. */
  tools?: string[];
  /** The longest wait for a response or for its next event. */
  idleTimeoutMs: number;
  /** The limit of a listing or call as a whole. */
  timeoutMs: number;
}

export type McpAuth =
  | { type: "none" }
  | { type: "bearer"; token: Secret }
  | { type: "header"; name: string; value: Secret }
  | ClientCredentials
  | PrivateKeyJwt;

export interface ClientCredentials {
  type: "client-credentials";
  clientId: string;
  clientSecret: Secret;
  /** The only authorization server that receives the secret. Default: the one that the MCP server names. */
  issuer?: string;
  scope?: string;
}

export interface PrivateKeyJwt {
  type: "private-key-jwt";
  clientId: string;
  /** PKCS 8 in PEM. */
  privateKey: Secret;
  /** Such as RS256 or ES256. */
  algorithm: string;
  issuer?: string;
  scope?: string;
}

export interface McpTool {
  /** The server's name of it. `nameTools` makes those for models. */
  name: string;
  description: string;
  /** Any JSON Schema that the server likes: never compile it on the main thread. */
  inputSchema: JsonObject;
  /** The server's claims. False if it makes none. */
  isReadOnly: boolean;
  isIdempotent: boolean;
}

export interface McpFile {
  name: string;
  mediaType: string;
  content: Uint8Array;
}

export type McpOutcome =
  | { type: "result"; result: JsonValue; files: McpFile[] }
  /** The tool or the server refused, or the call was never sent: it had no effect that the error does not name. */
  | { type: "error"; error: string }
  /** Sent, and no answer: it may have had an effect. */
  | { type: "unknown"; error: string };

/** Where a listing failed: the URL is not allowed; no response; no access; not MCP; no list of tools. */
export type McpStage = "address" | "connection" | "authorization" | "negotiation" | "listing";

export type McpReport =
  | {
      isUsable: true;
      /** `modern`: stateless, from version 2026-07-28. `legacy`: begins with `initialize`. */
      era: "modern" | "legacy";
      protocolVersion: string;
      /** The name that the server gives itself, if any. */
      server?: { name: string; version: string };
      tools: Pick<McpTool, "name" | "description">[];
      /** One sentence for each tool that is not offered, and why. */
      problems: string[];
      latencyMs: number;
    }
  | { isUsable: false; stage: McpStage; problem: string; latencyMs: number };

export interface McpClient {
  /**
   * The tools by name. Kept for as long as the server allows, at most a day, and for a minute if it does not say (the old
   * era); a server that allows nothing is asked each time, so list once per turn. Rejects with McpProblem, or with the
   * reason of the signal.
   */
  list(server: McpServer, signal: AbortSignal): Promise<McpTool[]>;
  /** Never rejects. Once the signal aborts, the call ends within a second as `error` or `unknown`. */
  call(server: McpServer, name: string, args: JsonObject, signal: AbortSignal): Promise<McpOutcome>;
  /** Negotiates and lists without what is known of the server. Rejects only with the reason of the signal. */
  test(server: McpServer, signal: AbortSignal): Promise<McpReport>;
}
