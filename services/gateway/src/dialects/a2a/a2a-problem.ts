import type { FastifyRequest } from "fastify";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";
import { RpcProblem, rpcErrorOf } from "../json-rpc.ts";

/** The refusals that A2A itself defines, with their codes. */
const codes = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  VERSION_NOT_SUPPORTED: -32009,
  INVALID_PARAMS: -32602,
} as const;

export function a2aProblem(reason: keyof typeof codes, message: string): RpcProblem {
  return new RpcProblem(codes[reason], reason, message);
}

export const invalidParams = (message: string) => a2aProblem("INVALID_PARAMS", message);

/** A refused call as its client sees it. Other reasons than those of A2A are the codes of `docs/errors.md`. */
export function a2aErrorOf(problem: HttpProblem, request: Pick<FastifyRequest, "body" | "id">) {
  const known = problem.code === "NOT_FOUND" ? a2aProblem("TASK_NOT_FOUND", problem.message) : problem;
  const reason = known instanceof RpcProblem ? known.reason : known.code;
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "a2a-protocol.org" };
  return rpcErrorOf(known, request, [{ ...info, reason, metadata: { requestId: request.id } }]);
}
