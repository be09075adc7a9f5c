import { Readable } from "node:stream";
import { isLarge, nextTurn } from "@muster/large-data";
import type { FastifyReply } from "fastify";

const json = "application/json; charset=utf-8";

/** Characters that are encoded and written without a break. */
const sliceLength = 256 * 1024;

/**
 * Sends text that is already JSON, in pieces that together are the whole. A string with a JSON content type bypasses
 * the serialiser; large ones are sent in slices, at the reader's pace.
 */
export function sendJsonText(reply: FastifyReply, ...pieces: readonly string[]): void {
  if (pieces.some(isLarge)) sendLargeJson(reply, pieces);
  else reply.type(json).send(pieces.join(""));
}

/** Likewise large text, of which each piece is made when the reader has taken the ones before. */
export function sendLargeJson(reply: FastifyReply, pieces: Iterable<string>): void {
  reply.type(json).send(Readable.from(slicesOf(pieces), { objectMode: false }));
}

/** Many readers may want their next slices at once. */
async function* slicesOf(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    while (text.length >= sliceLength) {
      const end = sliceEnd(text, sliceLength);
      yield Buffer.from(text.slice(0, end));
      text = text.slice(end);
      await nextTurn();
    }
  }
  if (text !== "") yield Buffer.from(text);
}

/** A pair of surrogates must not be cut in two. */
function sliceEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
