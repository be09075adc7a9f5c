/** Text deltas in one reply of the scripted provider. */
export const chunksPerStream = 64;

/** The scripted provider's pace by model: as fast as it can, or one delta per interval. */
export const intervalsMs = {
  bench: 0,
  "bench-even": 8,
  "bench-paced": 20,
  // Long enough for many streams to be open at once while memory is measured.
  "bench-held": 100,
} as const;
export type Pace = keyof typeof intervalsMs;

export const idealPacedMs = intervalsMs["bench-paced"] * chunksPerStream;
