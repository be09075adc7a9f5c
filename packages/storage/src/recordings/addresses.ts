import type { Clock, Secret } from "@muster/service";
import { createSignedTexts } from "../files/index.ts";
import { isRecordingId } from "./storage.ts";

/** How long a signed address of a recording is valid: as long as the one of a file. */
export const addressLifetimeMs = 24 * 60 * 60_000;

/**
 * The signed texts in the addresses of private recordings. One allows its reader to watch the recording until it
 * expires.
 */
export type RecordingAddresses = ReturnType<typeof createRecordingAddresses>;

export interface RecordingAddressOptions {
  /** At least one. The first signs; all are accepted. Derived from the installation's secrets, for this use only. */
  keys: readonly Secret[];
  clock: Pick<Clock, "now">;
}

export function createRecordingAddresses({ keys, clock }: RecordingAddressOptions) {
  const { sign, read } = createSignedTexts<"watch">({ keys, clock, use: "muster recording addresses" });
  return {
    /** Letters, digits, `_`, `-` and one dot. */
    sign: (recordingId: string) => sign("watch", [recordingId], addressLifetimeMs),
    /** True if the text was signed for this recording and has not expired. */
    isGenuine: (recordingId: string, text: string) =>
      isRecordingId(recordingId) && read("watch", text)?.[0] === recordingId,
  };
}
