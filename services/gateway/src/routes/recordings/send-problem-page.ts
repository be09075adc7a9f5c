import type { FastifyReply } from "fastify";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";
import { prefersPage } from "../../edge/http/accept.ts";
import { respondWithError } from "../../edge/http/respond-with-error.ts";
import { problemPage } from "./page/notices.ts";

/** A page that keeps its address, which can contain a signature, to itself. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/** Sends the public form of any thrown value, as a page to a browser that opens the address. */
export function respondToWatcher(error: unknown, reply: FastifyReply): FastifyReply {
  if (!prefersPage(reply.request.headers.accept)) return respondWithError(error, reply);
  return respondWithError(error, reply, (problem: HttpProblem) => {
    const { text, policy } = problemPage(problem, reply.request.id);
    reply.headers({ ...pageHeaders(policy), "cache-control": "no-store", "x-robots-tag": "noindex" });
    return text;
  });
}
