import type { AuditEntry } from "@muster/events/audit";
import { type Transition, transitionsOf } from "@muster/store";
import type { Filter } from "mongodb";
import type { RecordedEnd, RecordingDocument, StoredVideo } from "../store/recording-document.ts";
import type { Deletable, recordingTransitions } from "../store/recording-transitions.ts";

type Status = RecordingDocument["status"];
/**
 * A change of a recording, made by `RecordingStore.move` and nothing else. Every one is harmless if it is repeated, because
 * its condition is false by then.
 */
export type Move = Transition<RecordingDocument>;

const transition = transitionsOf<RecordingDocument, typeof recordingTransitions>();

/** How often a recording is given to recorders. */
export const maxAttempts = 5;
/** Claims after which one that is given back counts as an attempt. */
const maxFreeClaims = 50;
const alwaysGivenBack =
  "The recording could not be rendered: its recorders were always stopped, or got too little processor time, before it was done.";
/** An announcement without an answer is repeated after this. */
const announceAgainMs = 10_000;
/** How long a recording waits for space on the disk of recorders, each time. */
const fullRestMs = 60_000;

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

/** The run has ended: recorders may claim it. */
export function endRun(end: RecordedEnd, now: Date): Move {
  return transition("processing", ["recording"], {
    set: { end, claimableAt: now, lookAt: after(now, announceAgainMs) },
  });
}

/** A recorder has it for as long as it renews the lease. */
export function claim(recorder: string, now: Date, until: Date): Move {
  return {
    from: ["processing"],
    guard: { claimableAt: { $lte: now }, attempts: { $lt: maxAttempts } },
    set: { lease: { recorder, until }, claimableAt: until },
    inc: { epoch: 1, attempts: 1 },
  };
}

/** The right of a recorder to write: no other has claimed the recording since, and the attempt has not ended. */
function asRecorder(epoch: number): Filter<RecordingDocument> {
  return { epoch, lease: { $ne: null } };
}

export function renew(epoch: number, until: Date): Move {
  return {
    from: ["processing"],
    guard: asRecorder(epoch),
    set: { "lease.until": until, claimableAt: until },
  };
}

/** The video is stored. `lookAt` is now: the thread has to learn of it. */
export function becomeReady(epoch: number, video: StoredVideo, now: Date, keptUntil?: Date): Move {
  return transition("ready", ["processing"], {
    guard: asRecorder(epoch),
    set: { video, readyAt: now, lookAt: now, ...(keptUntil && { keptUntil }) },
    unset: ["claimableAt", "error"],
  });
}

/** The attempt has failed; another may follow after a rest. */
export function retry(epoch: number, error: string, now: Date, restMs: number): Move {
  const again = after(now, restMs);
  return {
    from: ["processing"],
    guard: asRecorder(epoch),
    set: { error, lease: null, claimableAt: again, lookAt: again },
  };
}

/**
 * Its recorder stops or got too little processor time, and nothing is wrong: another may claim it at once, and the attempt does not
 * count. Only where this happens again and again, it does: a video that takes longer than recorders live would be begun forever.
 */
export function giveBack(epoch: number, now: Date): Move {
  const counts = epoch > maxFreeClaims;
  return {
    from: ["processing"],
    guard: asRecorder(epoch),
    set: {
      ...{ lease: null, claimableAt: now, lookAt: after(now, announceAgainMs) },
      ...(counts && { error: alwaysGivenBack }),
    },
    ...(!counts && { inc: { attempts: -1 }, push: { givenBack: epoch } }),
  };
}

/**
 * A recorder that has lost it to another one lives: it was suspended, or got too little processor time to renew its lease. So the
 * recording did not end its process, and the attempt does not count. Those whose processes died send nothing.
 */
export function giveBackLate(epoch: number): Move {
  return {
    from: ["processing"],
    guard: { epoch: { $gt: epoch, $lte: maxFreeClaims }, givenBack: { $ne: epoch } },
    inc: { attempts: -1 },
    push: { givenBack: epoch },
  };
}

/** The disk of its recorder is full. It waits for space as long as that takes. */
export function waitForSpace(epoch: number, now: Date): Move {
  const again = after(now, fullRestMs);
  return {
    from: ["processing"],
    guard: asRecorder(epoch),
    set: { lease: null, claimableAt: again, lookAt: again },
    inc: { attempts: -1 },
  };
}

/** The last attempt has failed, or its recorder has died. */
export function giveUp(epoch: number, error: string, now: Date, how: "failed" | "died"): Move {
  return transition("failed", ["processing"], {
    guard:
      how === "failed"
        ? asRecorder(epoch)
        : { epoch, claimableAt: { $lte: now }, attempts: { $gte: maxAttempts } },
    set: { error, lookAt: now },
    unset: ["claimableAt"],
  });
}

/**
 * Its deletion was requested, or its retention has ended. Files that a recorder stores afterwards are removed, too: the
 * lease stays.
 */
export function remove(from: readonly Deletable[], now: Date, entry?: AuditEntry): Move {
  return transition("deleted", from, {
    set: { lookAt: now, facts: { agentName: "", task: "" } },
    unset: ["claimableAt", "video", "error", "keptUntil", "end.failureReason"],
    ...(entry && { push: { audit: entry } }),
  });
}

/** The consequences of the status are complete. `again`: when the sweep has to look next. */
export function settled(status: Status, seen: Date, again: Date | undefined): Move {
  return {
    from: [status],
    guard: { lookAt: seen },
    ...(again === undefined ? { unset: ["lookAt"] } : { set: { lookAt: again } }),
  };
}
