/** Wraps a SQLite blob (a Uint8Array) in a Buffer without copying it. */
export function bufferOf(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array)) throw new TypeError("a stored value is not a blob");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
