const headBytes = 21;
const code = 2013;

/** A request with one body section. */
export function opMsg(body: Uint8Array, requestId = 1): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeInt32LE(headBytes + body.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(code, 12);
  return Buffer.concat([head, body]);
}
