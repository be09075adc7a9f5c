import { StreamDecoder } from "@grpc/grpc-js/build/src/stream-decoder.js";

/** Pieces from this size on stay alone: the costs of one besides its bytes no longer matter. */
const maxJoinedBytes = 4 * 1024;

const { write } = StreamDecoder.prototype;

/**
 * grpc-js keeps each HTTP/2 frame of a message as a piece of its own until the message is complete, before anything in it is
 * checked. A piece costs some 150 bytes, so a peer that sends frames of one byte could fill the memory. Here neighbours are
 * joined while they are small, each one with a neighbour of its size, so that a byte is copied a dozen times at most.
 */
StreamDecoder.prototype.write = function (this: StreamDecoder, data: Buffer): Buffer[] {
  const messages = write.call(this, data);
  const pieces: unknown = Reflect.get(this, "readPartialMessage");
  if (Array.isArray(pieces)) joinLast(pieces);
  return messages;
};

function joinLast(pieces: Buffer[]): void {
  for (;;) {
    const [one, last] = [pieces.at(-2), pieces.at(-1)];
    if (one === undefined || last === undefined) return;
    if (one.length > last.length || one.length >= maxJoinedBytes) return;
    const bytes = one.length + last.length;
    // A piece that stays must not keep the pool alive in which smaller ones were joined.
    const joined = bytes < maxJoinedBytes ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
    one.copy(joined);
    last.copy(joined, one.length);
    pieces.splice(-2, 2, joined);
  }
}
