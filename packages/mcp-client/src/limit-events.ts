import { FetchProblem } from "@muster/guarded-fetch";
import { GrowingBuffer } from "@muster/large-data/growing-buffer";
import type { Clock } from "@muster/service";

const maxEventBytes = 1024 * 1024;
const eventsPerSecond = 200;
/** A burst is accepted, since this process or the network may have paused. */
const burst = 5 * eventsPerSecond;

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Passes on an event stream in whole events, so that nothing after it sees endless ones, or pieces of a byte. Throws FetchProblem for
 * an event that is too large, and for too many of them. `onEvent` is called before each.
 */
export async function* limitEvents(chunks: AsyncIterable<unknown>, clock: Clock, onEvent: () => void) {
  const waiting = new GrowingBuffer();
  let isLineEmpty = true;
  let previous = 0;
  let allowed = burst;
  let countedAt = clock.monotonicMs();
  for await (const chunk of chunks) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("A body consists of bytes");
    const now = clock.monotonicMs();
    allowed = Math.min(burst, allowed + ((now - countedAt) / 1_000) * eventsPerSecond);
    countedAt = now;
    let taken = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      const isSecondHalf = byte === lineFeed && previous === carriageReturn;
      previous = byte;
      if (isSecondHalf) continue;
      if (byte !== lineFeed && byte !== carriageReturn) isLineEmpty = false;
      else if (!isLineEmpty) isLineEmpty = true;
      else {
        if (--allowed < 0) throw tooMany();
        waiting.add(chunk.subarray(taken, index + 1));
        taken = index + 1;
        onEvent();
        yield waiting.take();
      }
    }
    waiting.add(chunk.subarray(taken));
    if (waiting.length > maxEventBytes) throw tooLong();
  }
}

function tooMany(): FetchProblem {
  return new FetchProblem("too-large", `The server sends more than ${eventsPerSecond} events per second.`);
}

function tooLong(): FetchProblem {
  return new FetchProblem("too-large", `The server sends an event of more than ${maxEventBytes} bytes.`);
}
