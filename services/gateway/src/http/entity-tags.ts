import type { FastifyReply } from "fastify";

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/**
 * Whether an If-None-Match header names the entity tag, strong or weak, alone or in a list, or any tag by `*`. What is
 * no tag names none, so that a header damaged on its way costs a full answer and no error.
 */
export function isNamedBy(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || tagsIn(header).some((one) => one.replace(/^W\//, "") === etag);
}

/** Answers that the client has it. Nothing is serialised: a 304 with the length of some other body would be a lie. */
export function sendUnchanged(reply: FastifyReply): void {
  reply.code(304).send();
}

const list = new RegExp(String.raw`^[\s,]*(?:${tag}\s*(?:,[\s,]*|$))+$`);

/**
 * What an If-Match header names: anything, or these tags, as they were sent. Undefined for what is neither, which
 * has to be refused: a condition that was damaged on its way must not be left out.
 */
export function readIfMatch(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  return list.test(header) ? tagsIn(header) : undefined;
}

function tagsIn(header: string): readonly string[] {
  return header.match(new RegExp(tag, "g")) ?? [];
}
