import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { tooLargeError } from "./handling.ts";

/** The largest message in either direction: what the largest request over HTTP (10 MiB) becomes, and some room. */
export const maxMessageBytes = 12 * 1024 * 1024;

/** Bytes of a message; RESOURCE_EXHAUSTED when there are more than the other side would take. */
export function encode<T extends DescMessage>(
  desc: T,
  message: MessageInitShape<T>,
  what: "request" | "response",
): Buffer {
  const bytes = toBinary(desc, create(desc, message));
  if (bytes.byteLength > maxMessageBytes) throw tooLargeError(what, bytes.byteLength, maxMessageBytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The message in the bytes; `code` when they hold none. */
export function decode<T extends DescMessage>(
  desc: T,
  bytes: Uint8Array,
  code: Code.InvalidArgument | Code.Internal,
): MessageShape<T> {
  try {
    return fromBinary(desc, bytes);
  } catch (error) {
    throw new ConnectError(
      `This is not a message of type ${desc.typeName}.`,
      code,
      undefined,
      undefined,
      error,
    );
  }
}

// grpc-js calls these with what encode and for decode; a codec of its own would turn every failure into INTERNAL.
export const passBytes = (bytes: Buffer): Buffer => bytes;
