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

/**
 * The largest message in either direction: fits the largest conversation (11 MiB) in its full format, which contains
 * every text twice, and the largest HTTP request (10 MiB).
 */
export const maxMessageBytes = 24 * 1024 * 1024;

/** Encodes a message; throws RESOURCE_EXHAUSTED if it is larger than the other side accepts. */
export function encode<T extends DescMessage>(
  desc: T,
  message: MessageInitShape<T>,
  what: "request" | "response",
): Buffer {
  const bytes = toBinary(desc, create(desc, message));
  if (bytes.byteLength > maxMessageBytes) throw tooLargeError(what, bytes.byteLength, maxMessageBytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes a message; throws `code` if the bytes are not one. */
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

// The serialiser for grpc-js, on both sides: encoding inside it would turn every failure into INTERNAL.
export const passBytes = (bytes: Buffer): Buffer => bytes;
