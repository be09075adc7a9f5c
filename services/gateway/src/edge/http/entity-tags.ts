import type { FastifyReply } from "fastify";

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/**
 * Whether an If-None-Match header names the entity tag, strong or weak, alone or in a list, or any tag by `*`. Malformed
 * tags match none, so that a damaged header costs a full response and not an error.
 */
export function isNamedBy(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || tagsIn(header).some((one) => one.replace(/^W\//, "") === etag);
}

/** Sends 304. Nothing is serialised, because a 304 must not carry the length of another body. */
export function sendUnchanged(reply: FastifyReply): void {
  reply.code(304).send();
}

const list = new RegExp(String.raw`^[\s,]*(?:${tag}\s*(?:,[\s,]*|$))+$`);

/**
 * The content of an If-Match header: any version, or these tags, unchanged. Undefined if it is neither; such a header must
 * be refused, because a damaged condition must not be ignored.
 */
export function readIfMatch(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  return list.test(header) ? tagsIn(header) : undefined;
}

/** The text of the only tag in an If-None-Match header, strong or weak; undefined if there are none, several or any. */
export function onlyTagIn(header: string | undefined): string | undefined {
  const [tag, ...others] = header === undefined ? [] : tagsIn(header);
  return tag === undefined || others.length > 0 ? undefined : tag.replace(/^W\//, "").slice(1, -1);
}

function tagsIn(header: string): readonly string[] {
  return header.match(new RegExp(tag, "g")) ?? [];
}
