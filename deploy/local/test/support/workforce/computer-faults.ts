import assert from "node:assert/strict";
import { randomFrom } from "./random.ts";

/** The platform is the process that has the connection of the computer. It is cut off from the gateway. */
const kinds = [
  "cut off the computer",
  "kill the computer",
  "cut off the platform",
  "suspend the computer",
  "kill the platform",
  "suspend the platform",
  "kill both",
  "suspend the computer until the run ends",
] as const;

export type FaultKind = (typeof kinds)[number];

/** Needs no process but the computer's. */
const simple = kinds.slice(0, 3);

export interface ComputerFault {
  kind: FaultKind;
  /** The frame at which it happens, counted from the previous fault. */
  afterFrames: number;
  /** This much of the frame passes before it. */
  passes: "nothing" | "half" | "all";
  jitterMs: number;
}

/** One fault or two, which the seed determines. `isSimple`: of kinds that need no process but the computer's. */
export function computerFaults(
  seed: number,
  index: number,
  { framesOfRun, isSimple }: { framesOfRun: number; isSimple: boolean },
): ComputerFault[] {
  const random = randomFrom(seed * 1_000 + index);
  const choose = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] ?? assert.fail();
  const details = () => ({
    passes: choose(["nothing", "half", "all"] as const),
    jitterMs: Math.floor(random() * 60),
  });
  const all = isSimple ? simple : kinds;
  const kind = all[index % all.length] ?? assert.fail();
  // With one fault for each kind and frame, each kind happens at each frame.
  const afterFrames = (index * 5 + Math.floor(index / all.length)) % framesOfRun;
  const first = { kind, afterFrames, ...details() };
  const second = { kind: choose(all), afterFrames: choose([0, 1, 2, 3]), ...details() };
  return random() < 0.5 ? [first] : [first, second];
}
