import type { FastifyReply, FastifyRequest } from "fastify";
import { badRequest } from "../errors/from-any.ts";
import { readIfMatch } from "./conditions.ts";

const strongRevision = /^"([1-9][0-9]{0,8})"$/;
/** The current revision is never one of these. */
const noRevision = [0];

/**
 * The revisions, or versions, that If-Match allows; empty if any is allowed. Weak tags and unknown tags match none. Throws
 * INVALID_REQUEST for a malformed header.
 */
export function expectedRevisions({ headers }: Pick<FastifyRequest, "headers">): number[] {
  const header = headers["if-match"];
  const tags = header === undefined ? "*" : readIfMatch(header);
  if (tags === "*") return [];
  if (tags === undefined) {
    const message = 'must be a version in quotes, such as "3", or *';
    throw badRequest("If-Match header", [{ path: "headers.if-match", message }]);
  }
  const expected = tags.flatMap((tag) => strongRevision.exec(tag)?.[1] ?? []).map(Number);
  return expected.length === 0 ? noRevision : expected;
}

/** The entity tag of a revision, or version: its number in quotes. */
export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/** Sends the resource with its revision as ETag. */
export function sendRevision<Resource extends { revision: number }>(
  reply: FastifyReply,
  resource: Resource,
): Resource {
  reply.header("etag", etagOf(resource.revision));
  return resource;
}
