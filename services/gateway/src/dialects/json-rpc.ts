import type { PublicCode } from "@muster/wire/error-codes";
import { inline, integer, json, object, optional, type TSchema, Type, text } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { documentOrEvents, openObjectOf } from "../schemas/common.ts";

/** The identifier of a call; null if it has none that can be read. */
export type CallId = string | number | null;

/** The codes of JSON-RPC 2.0. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Every other refusal by this server. */
  refused: -32000,
} as const;

const codeOfPublic: Partial<Record<PublicCode, number>> = {
  INVALID_JSON: rpcCodes.parseError,
  PAYLOAD_TOO_LARGE: rpcCodes.invalidRequest,
  UNSUPPORTED_CONTENT_TYPE: rpcCodes.invalidRequest,
  NOT_ACCEPTABLE: rpcCodes.invalidRequest,
  INVALID_INPUT: rpcCodes.invalidParams,
  INVALID_IDEMPOTENCY_KEY: rpcCodes.invalidParams,
};

/** A refusal for which the dialect's specification has a code. */
export class RpcProblem extends HttpProblem {
  readonly rpcCode: number;
  readonly reason: string;

  constructor(rpcCode: number, reason: string, message: string) {
    super("INVALID_REQUEST", message);
    this.rpcCode = rpcCode;
    this.reason = reason;
  }
}

function rpcCodeOf(problem: HttpProblem): number {
  if (problem instanceof RpcProblem) return problem.rpcCode;
  const { code, issues, status } = problem;
  if (code === "INVALID_REQUEST") {
    const isOfCall = issues.length === 0 || issues.some(({ path }) => !path.startsWith("params."));
    return isOfCall ? rpcCodes.invalidRequest : rpcCodes.invalidParams;
  }
  return codeOfPublic[code] ?? (status >= 500 ? rpcCodes.internalError : rpcCodes.refused);
}

export const callIdSchema = Type.Union([Type.String(), Type.Number(), Type.Null()], {
  description: "Chosen by the client; the response repeats it.",
});

/** The schema of a response of a dialect. */
export function responseSchema(title: string, dialect: string) {
  return object(
    title,
    `A result or an error of ${dialect}.`,
    {
      jsonrpc: Type.Literal("2.0"),
      id: optional(callIdSchema),
      result: optional(openObjectOf("The result.")),
      error: optional(
        inline("The refusal.", {
          code: integer("The kind of error."),
          message: text("What is wrong, and what to do."),
          data: optional(json("Its code in `docs/errors.md`, and further details.")),
        }),
      ),
    },
    { additionalProperties: true },
  );
}

/** The documentation of a success that is one response, or a stream of them. */
export function responsesOf(schema: TSchema) {
  return documentOrEvents("The response as JSON, or responses as server-sent events.", schema);
}

/** A refused call as its client sees it. */
export function rpcErrorOf(problem: HttpProblem, { body }: Pick<FastifyRequest, "body">, data: unknown) {
  const error = { code: rpcCodeOf(problem), message: problem.message, data };
  return { jsonrpc: "2.0", id: callIdOf(body), error };
}

/** The identifier in a body that may be anything. */
export function callIdOf(body: unknown): CallId {
  const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
