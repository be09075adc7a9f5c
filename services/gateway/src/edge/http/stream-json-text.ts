import { Readable } from "node:stream";
import { nextTurn } from "@muster/large-data";
import type { FastifyReply } from "fastify";
import { sendJsonText } from "./send-json-text.ts";

/** A reader that does not take a slice within this time is cut. */
const stalledAfterMs = 60_000;
/** In bytes: small, so that a slow reader which keeps reading is not taken for one that has stopped. */
const sliceLength = 16 * 1024;

/**
 * Sends text that is already JSON, in pieces that together are the whole, each when the reader has taken the ones
 * before. Resolves once the first pieces are there; throws if they fail, while an ordinary error response is still
 * possible. A later failure breaks the connection off, so that no client takes a part for the whole.
 */
export async function streamJsonText(
  reply: FastifyReply,
  pieces: AsyncGenerator<string, void, undefined>,
): Promise<void> {
  const first = await pieces.next();
  const second = first.done ? first : await pieces.next();
  if (first.done || second.done) {
    sendJsonText(reply, first.value ?? "");
    return;
  }
  const begun = [first.value, second.value];
  reply
    .type("application/json; charset=utf-8")
    .send(Readable.from(encoded(reply, begun, pieces), { objectMode: false, highWaterMark: sliceLength }));
}

async function* encoded(
  reply: FastifyReply,
  begun: readonly string[],
  rest: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (const piece of begun) yield* taken(reply, piece);
    for await (const piece of rest) {
      // Many readers may want their next pieces at once.
      await nextTurn();
      yield* taken(reply, piece);
    }
  } finally {
    await rest.return();
  }
}

function* taken(reply: FastifyReply, piece: string): Generator<Buffer, void, undefined> {
  const bytes = Buffer.from(piece);
  for (let start = 0; start < bytes.length; start += sliceLength) {
    const stalled = setTimeout(() => reply.raw.destroy(), stalledAfterMs);
    try {
      yield bytes.subarray(start, start + sliceLength);
    } finally {
      clearTimeout(stalled);
    }
  }
}
