import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { isNamedBy, sendUnchanged } from "./conditions.ts";

/** A response that is the same for every client until its data changes, ready to send. */
export interface ReferenceData {
  /** JSON. */
  body: Buffer;
  /** A strong tag: it changes with every byte. */
  etag: string;
}

export function referenceData(value: unknown): ReferenceData {
  const body = Buffer.from(JSON.stringify(value));
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

/** Sends the bytes without the serialiser, or 304 to a client that already has them. */
export function sendReferenceData(
  reply: FastifyReply,
  { body, etag }: ReferenceData,
  mediaType = "application/json; charset=utf-8",
): void {
  reply.headers({ etag, "cache-control": "public, max-age=300" });
  if (isNamedBy(reply.request.headers["if-none-match"], etag)) sendUnchanged(reply);
  else reply.type(mediaType).send(body);
}
