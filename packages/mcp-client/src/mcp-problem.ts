import { OAuthError, ProtocolError, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import type { FetchProblem } from "@muster/guarded-fetch";
import { isJsonObject, parseJsonObject } from "@muster/language/json";
import type { Exchange } from "./exchange.ts";
import type { McpServer, McpStage } from "./mcp-server.ts";

/** The message is one sentence for the user, the log and the model, without secrets and internal addresses. */
export class McpProblem extends Error {
  override readonly name = "McpProblem";
  readonly stage: McpStage;

  constructor(stage: McpStage, message: string, options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}

/** Thrown while tokens are fetched. The message is a clause about the server. */
export class AuthorizationProblem extends Error {
  override readonly name = "AuthorizationProblem";
}

export interface Failed {
  server: McpServer;
  exchange: Exchange;
  /** The stage that had begun. */
  stage: McpStage;
}

/** The problem of a server, for anything that its exchange threw. */
export function problemOf(cause: unknown, { server, exchange, stage }: Failed): McpProblem {
  const [failedStage, clause] = isUnauthorized(cause)
    ? ([
        "authorization",
        `refuses ${server.auth.type === "none" ? "requests without" : "the"} credentials`,
      ] as const)
    : describe(cause, exchange, stage);
  const message = `The MCP server ${server.slug} ${clause}.`;
  return new McpProblem(failedStage, message, { cause });
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.data.status === 401);
}

function describe(error: unknown, exchange: Exchange, stage: McpStage): [McpStage, string] {
  const { problem } = exchange;
  const quote = (text: string) => quoted(withoutSecrets(text, exchange));
  if (problem !== undefined) return [stageOf(problem, stage), clauseOf(problem)];
  if (error instanceof AuthorizationProblem) return ["authorization", error.message];
  if (error instanceof OAuthError)
    return ["authorization", `has an authorization server that answered ${quote(error.message)}`];
  if (error instanceof SdkHttpError)
    return [error.data.status === 403 ? "authorization" : stage, statusClause(error, quote)];
  if (error instanceof ProtocolError) return [stage, `answered with the error ${quote(error.message)}`];
  return [stage, "does not speak MCP correctly"];
}

function statusClause({ data }: SdkHttpError, quote: (text: string) => string): string {
  const { status } = data;
  if (status === 403) return "denies access with the credentials";
  const text = typeof data.text === "string" ? rpcMessageIn(data.text) : undefined;
  return `answered with HTTP ${status}${text === undefined ? "" : ` and the error ${quote(text)}`}`;
}

function rpcMessageIn(text: string): string | undefined {
  const body = parseJsonObject(text);
  const error = body.ok ? body.value.error : undefined;
  return isJsonObject(error) && typeof error.message === "string" ? error.message : undefined;
}

function stageOf({ isRefusal, reason }: FetchProblem, stage: McpStage): McpStage {
  if (isRefusal || reason === "unknown-host") return "address";
  return reason === "unreachable" && stage === "negotiation" ? "connection" : stage;
}

/** The predicate of a sentence about the server. */
export function clauseOf({ reason, message }: FetchProblem): string {
  if (reason === "too-many-redirects")
    return "redirects, which is not followed: register the URL to which it leads";
  const sentence = message.replace(/\.$/, "");
  return sentence.startsWith("The server ")
    ? sentence.slice("The server ".length)
    : `cannot be used: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

const maxQuoted = 500;

function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return JSON.stringify(line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line);
}

/** A server may repeat what it received. */
function withoutSecrets(text: string, { secrets }: Exchange): string {
  return [...secrets].reduce(
    (safe, secret) => (secret.length < 4 ? safe : safe.replaceAll(secret, "[secret]")),
    text,
  );
}
