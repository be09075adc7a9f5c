import { Readable } from "node:stream";
import { isLarge, nextTurn } from "@muster/large-data";
import type { FastifyReply } from "fastify";

const json = "application/json; charset=utf-8";

/** Characters that are encoded and written without a break. */
const sliceLength = 64 * 1024;

/**
 * Sends text that is already JSON, in pieces that together are the whole. A string with a JSON content type bypasses
 * the serialiser; large ones are sent in slices, at the reader's pace.
 */
export function sendJsonText(reply: FastifyReply, ...pieces: readonly string[]): void {
  if (pieces.some(isLarge)) sendLargeJson(reply, pieces);
  else reply.type(json).send(pieces.join(""));
}

/** Likewise large text, of which each piece is made when the reader has taken the ones before. */
export function sendLargeJson(reply: FastifyReply, pieces: Iterable<string> | AsyncIterable<string>): void {
  reply.type(json).send(Readable.from(slicesOf(pieces), { objectMode: false }));
}

/**
 * Likewise text that arrives in pieces. Resolves once the first ones are there; throws if they fail, while an ordinary
 * error response is still possible. A later failure breaks the connection off, so that no client takes a part for the
 * whole.
 */
export async function streamJsonText(
  reply: FastifyReply,
  pieces: AsyncGenerator<string, void, undefined>,
): Promise<void> {
  const first = await pieces.next();
  const second = first.done ? first : await pieces.next();
  if (first.done || second.done) sendJsonText(reply, first.value ?? "");
  else sendLargeJson(reply, joined([first.value, second.value], pieces));
}

async function* joined(begun: readonly string[], rest: AsyncGenerator<string, void, undefined>) {
  try {
    yield* begun;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Many readers may want their next slices at once. */
async function* slicesOf(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; ) {
      const end = sliceEnd(piece, start + sliceLength);
      yield Buffer.from(piece.slice(start, end));
      start = end;
      await nextTurn();
    }
  }
}

/** A pair of surrogates must not be cut in two. */
function sliceEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
