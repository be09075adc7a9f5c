import { connect, type Socket } from "node:net";
import { serialize } from "bson";
import fc from "fast-check";
import { type Document, Long } from "mongodb";
import { opMsg } from "../../src/wire/op-msg.ts";

/* Messages that no driver sends. */

const commands: Document[] = [
  { hello: 1, $db: "admin" },
  {
    find: "items",
    filter: { a: [1, { b: "x" }], c: { $in: [1, 2] } },
    sort: { a: 1 },
    limit: 1,
    $db: "fuzz",
  },
  { insert: "items", documents: [{ a: 1, text: "é", long: Long.fromNumber(2 ** 40) }], $db: "fuzz" },
  { update: "items", updates: [{ q: { a: 1 }, u: { $set: { b: [] } }, multi: true }], $db: "fuzz" },
  { delete: "items", deletes: [{ q: { a: 2 }, limit: 0 }], $db: "fuzz" },
  {
    aggregate: "items",
    pipeline: [{ $match: { a: 1 } }, { $group: { _id: 1, n: { $sum: 1 } } }],
    cursor: {},
    $db: "fuzz",
  },
  { findAndModify: "items", query: { a: 1 }, update: { $inc: { n: 1 } }, upsert: true, $db: "fuzz" },
  { createIndexes: "items", indexes: [{ key: { a: 1 }, name: "a" }], $db: "fuzz" },
  { getMore: Long.fromNumber(5), collection: "items", $db: "fuzz" },
];

const originals = commands.map((command) => opMsg(serialize(command)));

type Mutation = (message: Buffer) => Buffer;

const at = fc.nat(100_000);
const int32 = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(0, 1, 4, 15, 16, 21, 48_000_000, 48_000_001, -1),
);

function patched(message: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(message);
  change(copy);
  return copy;
}

function withInt32(position: (message: Buffer) => number): fc.Arbitrary<Mutation> {
  return int32.map(
    (value) => (message) => patched(message, (copy) => copy.writeInt32LE(value, position(copy))),
  );
}

/** Every kind of damage: lengths, operations (compression among them), flags, sections, and any byte. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  withInt32(() => 0),
  withInt32(() => 12),
  fc.constant((message: Buffer) => patched(message, (copy) => copy.writeInt32LE(2012, 12))),
  withInt32(() => 16),
  withInt32(() => 21),
  fc.nat(255).map(
    (kind): Mutation =>
      (message) =>
        patched(message, (copy) => copy.writeUInt8(kind, 20)),
  ),
  fc.tuple(at, int32).map(
    ([position, value]): Mutation =>
      (message) =>
        patched(message, (copy) => copy.writeInt32LE(value, position % (copy.length - 4))),
  ),
  fc.array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 }).map(
    (changes): Mutation =>
      (message) =>
        patched(message, (copy) => {
          for (const [position, byte] of changes) copy[position % copy.length] = byte;
        }),
  ),
  at.map(
    (length): Mutation =>
      (message) =>
        message.subarray(0, length % message.length),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map(
    (bytes): Mutation =>
      (message) =>
        Buffer.concat([message, bytes]),
  ),
  fc.integer({ min: 1, max: 5000 }).map(
    (levels): Mutation =>
      () =>
        deepMessage(levels),
  ),
);

/** A well-formed message whose filter has this many levels. */
function deepMessage(levels: number): Buffer {
  const inner = serialize({ find: "items", $db: "fuzz" });
  let filter: Buffer = Buffer.from([5, 0, 0, 0, 0]);
  for (let i = 0; i < levels; i++) filter = wrapped(filter);
  const field = Buffer.concat([Buffer.from([3]), Buffer.from("filter\0"), filter]);
  const body = Buffer.concat([inner.subarray(0, -1), field, Buffer.from([0])]);
  body.writeInt32LE(body.length, 0);
  return opMsg(body);
}

function wrapped(inner: Buffer): Buffer {
  const outer = Buffer.concat([Buffer.alloc(4), Buffer.from([3, 97, 0]), inner, Buffer.from([0])]);
  outer.writeInt32LE(outer.length, 0);
  return outer;
}

/** A message with one or two kinds of damage. */
export const mutatedMessage: fc.Arbitrary<Buffer> = fc
  .tuple(fc.constantFrom(...originals), fc.array(mutation, { minLength: 1, maxLength: 2 }))
  .map(([message, mutations]) =>
    mutations.reduce((changed, mutate) => (changed.length >= 26 ? mutate(changed) : changed), message),
  );

/**
 * Sends bytes on a connection of its own, then half-closes it. Resolves once the server has closed it, with the
 * received bytes: nothing, or replies. Rejects if the server's reply is not a message.
 */
export function exchange(uri: string, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(uri);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    // The server may close the connection before it has read everything.
    socket.on("error", () => {});
    socket.on("close", () => {
      const received = Buffer.concat(chunks);
      let end = 0;
      while (end + 16 <= received.length) end += Math.max(16, received.readInt32LE(end));
      if (end === received.length) resolve(received.length);
      else reject(new Error(`${received.length} bytes are not whole messages`));
    });
    socket.end(bytes);
  });
}

/** A connection to the server at a URI of the driver. */
export function open(uri: string): Socket {
  const { hostname, port } = new URL(uri);
  const path = decodeURIComponent(hostname);
  return path.startsWith("/") ? connect(path) : connect(Number(port), hostname);
}
