import type { FastifyRequest } from "fastify";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";
import { callIdOf, RpcProblem, rpcCodeOf, rpcCodes } from "../json-rpc.ts";

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";
const badRequest = "type.googleapis.com/google.rpc.BadRequest";

/** The refusals that A2A itself defines, with their codes. */
const codes = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  VERSION_NOT_SUPPORTED: -32009,
} as const;

export function a2aProblem(reason: keyof typeof codes, message: string): RpcProblem {
  return new RpcProblem(codes[reason], reason, message);
}

export function invalidParams(message: string): RpcProblem {
  return new RpcProblem(rpcCodes.invalidParams, "INVALID_PARAMS", message);
}

/** A refused call as its client sees it. Other reasons than those of A2A are the codes of `docs/errors.md`. */
export function a2aErrorOf(
  problem: HttpProblem,
  { body, id: requestId }: Pick<FastifyRequest, "body" | "id">,
) {
  const { message, issues } = problem;
  const isUnknownTask = problem.code === "NOT_FOUND";
  const reason = problem instanceof RpcProblem ? problem.reason : problem.code;
  const violations = issues.map(({ path, message }) => ({ field: path, description: message }));
  return {
    jsonrpc: "2.0",
    id: callIdOf(body),
    error: {
      code: isUnknownTask ? codes.TASK_NOT_FOUND : rpcCodeOf(problem),
      message,
      data: [
        {
          "@type": errorInfo,
          reason: isUnknownTask ? "TASK_NOT_FOUND" : reason,
          domain: "a2a-protocol.org",
          metadata: { requestId },
        },
        ...(violations.length > 0 ? [{ "@type": badRequest, fieldViolations: violations }] : []),
      ],
    },
  };
}
