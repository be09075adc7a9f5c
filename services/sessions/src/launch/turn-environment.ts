import { createHash } from "node:crypto";
import { type Clock, createIds, type NewId } from "@muster/service";
import type { MachineEnvironment } from "../engine/boundary/machine.ts";
import type { Beginning } from "../store/session-document.ts";

export interface TurnEnvironment extends MachineEnvironment {
  /** From now on, ids are random and the time passes. */
  goLive(): void;
}

/**
 * The ids and times of a turn. Those of its first effects follow from its stored beginning, so that another process can
 * make the same effects again.
 */
export function createTurnEnvironment(
  { newId, clock }: { newId: NewId; clock: Clock },
  { seed, at }: Pick<Beginning, "seed" | "at">,
): TurnEnvironment {
  const startedMs = at.getTime();
  const seededId = createIds(() => startedMs, seededBytes(seed));
  let isLive = false;
  return {
    newId: (prefix) => (isLive ? newId(prefix) : seededId(prefix)),
    now: () => (isLive ? clock.now() : startedMs),
    goLive: () => {
      isLive = true;
    },
  };
}

/** Ids use a handful of these blocks at most. */
const blockLength = 320;

/** A stream of bytes that nobody can guess without the seed. */
function seededBytes(seed: string): (size: number) => Uint8Array {
  let block = new Uint8Array(0);
  let blocks = 0;
  let used = 0;
  return (size) => {
    if (used + size > block.length) {
      block = createHash("shake256", { outputLength: blockLength }).update(`${seed}:${blocks}`).digest();
      blocks += 1;
      used = 0;
    }
    used += size;
    return block.subarray(used - size, used);
  };
}
