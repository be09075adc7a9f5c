import { Readable } from "node:stream";
import { isLarge } from "@muster/large-data";
import type { FastifyReply } from "fastify";

/** Characters that are encoded and written without a break. */
const sliceLength = 256 * 1024;

/**
 * Sends text that is already JSON, in pieces that together are the whole. A string with a JSON content type bypasses
 * the serialiser; large ones are sent in slices, at the reader's pace.
 */
export function sendJsonText(reply: FastifyReply, ...pieces: readonly string[]): void {
  const body = pieces.some(isLarge)
    ? Readable.from(slicesOf(pieces), { objectMode: false })
    : pieces.join("");
  reply.type("application/json; charset=utf-8").send(body);
}

function* slicesOf(pieces: readonly string[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; ) {
      const end = sliceEnd(piece, start + sliceLength);
      yield Buffer.from(piece.slice(start, end));
      start = end;
    }
  }
}

/** A pair of surrogates must not be cut in two. */
function sliceEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
