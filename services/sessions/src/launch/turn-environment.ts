import { hash } from "node:crypto";
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

/**
 * Random bytes that follow from the seed, once; each call returns the number after the previous one. Ids use the lower
 * five bits of a byte. Other turns' ids cannot be guessed from them, and no right depends on an id of a message or block.
 */
function seededBytes(seed: string): (size: number) => Uint8Array {
  // A hash for every id would cost more than everything else about it.
  const next = hash("sha256", seed, "buffer");
  return (size) => {
    let index = size - 1;
    for (; index > 0 && (next[index] ?? 0) % 32 === 31; index -= 1) next[index] = 0;
    next[index] = (next[index] ?? 0) + 1;
    return next.subarray(0, size);
  };
}
