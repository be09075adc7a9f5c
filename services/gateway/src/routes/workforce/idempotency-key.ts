import { idempotencyKeyProblem, isIdempotencyKey } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyReply } from "fastify";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { idempotencyHeaders } from "../../schemas/workforce.ts";

/** The field of the RPC's request. Throws INVALID_IDEMPOTENCY_KEY for a malformed header. */
export function idempotencyKeyOf(headers: Static<typeof idempotencyHeaders>): { idempotencyKey?: string } {
  const key = headers["idempotency-key"];
  if (key === undefined) return {};
  if (!isIdempotencyKey(key)) throw new HttpProblem("INVALID_IDEMPOTENCY_KEY", idempotencyKeyProblem);
  return { idempotencyKey: key };
}

/** Marks the response to a repeat. */
export function markReplay(reply: FastifyReply, replayed: boolean): FastifyReply {
  return replayed ? reply.header("idempotent-replayed", "true") : reply;
}
