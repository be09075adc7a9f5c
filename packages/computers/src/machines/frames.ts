import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ComputerFrame,
  ComputerFrameSchema,
  type PlatformFrame,
  PlatformFrameSchema,
} from "@muster/proto/computer-frames";

export const protocolVersion = 1;
/** The edge cuts a connection with a larger one. */
export const maxFrameBytes = 1024 * 1024;
/** The largest piece of a file. */
export const maxPieceBytes = 256 * 1024;

/** The computer sent something that is not allowed. The message is a sentence for the user of the computer. */
export class FrameProblem extends Error {}

export type FromComputer = ComputerFrame["frame"];
export type ToComputer = Exclude<
  NonNullable<MessageInitShape<typeof PlatformFrameSchema>["frame"]>,
  { case?: undefined }
>;

/** Why the platform ends a connection: the code, and the sentence for the user of the computer. */
export const farewells = {
  superseded: "A newer connection with a token of this computer has taken its place.",
  stopping: "The platform is restarting. Connect again.",
  refused: "This computer was deleted from the platform.",
} as const;

export function encodeFrame(frame: ToComputer): Uint8Array {
  const message: PlatformFrame = create(PlatformFrameSchema, { frame });
  return toBinary(PlatformFrameSchema, message);
}

export function goodbyeFrame(code: keyof typeof farewells): Uint8Array {
  return encodeFrame({ case: "goodbye", value: { code, message: farewells[code] } });
}

/** Throws {@link FrameProblem}. */
export function decodeFrame(bytes: Uint8Array): FromComputer {
  if (bytes.length > maxFrameBytes) throw new FrameProblem("A frame has more than 1 MiB.");
  try {
    return fromBinary(ComputerFrameSchema, bytes).frame;
  } catch {
    throw new FrameProblem("A frame cannot be read.");
  }
}
