import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  ComputerFrameSchema,
  type OutcomeSchema,
  type PlatformFrame,
  PlatformFrameSchema,
} from "@muster/proto/computer-frames";
import type { CallId } from "../state/journal-line.ts";
import type { Outcome } from "../state/outcome.ts";

export const protocolVersion = 1;
export const subprotocol = "muster-computer.v1";
export const maxFrameBytes = 1024 * 1024;

type FrameInit = NonNullable<MessageInitShape<typeof ComputerFrameSchema>["frame"]>;

export function encodeFrame(frame: FrameInit): Uint8Array {
  return toBinary(ComputerFrameSchema, create(ComputerFrameSchema, { frame }));
}

/** Undefined for bytes that are no frame. */
export function decodeFrame(bytes: Uint8Array): PlatformFrame["frame"] | undefined {
  try {
    return fromBinary(PlatformFrameSchema, bytes).frame;
  } catch {
    return undefined;
  }
}

export function outcomeFrame(key: CallId, outcome: Outcome | { staleEpoch: bigint }): FrameInit {
  return { case: "outcome", value: { key, outcome: memberOf(outcome) } };
}

function memberOf(
  outcome: Outcome | { staleEpoch: bigint },
): NonNullable<MessageInitShape<typeof OutcomeSchema>["outcome"]> {
  if ("result" in outcome) return { case: "resultJson", value: outcome.result };
  if ("error" in outcome) return { case: "error", value: outcome.error };
  if ("aborted" in outcome) return { case: "aborted", value: true };
  if ("staleEpoch" in outcome) return { case: "staleEpoch", value: outcome.staleEpoch };
  return { case: "unknown", value: true };
}
