export { canonicalHash } from "./canonical-hash.ts";
export { GrowingBuffer } from "./growing-buffer.ts";
export { defaultSliceLength, parseInSlices } from "./parse-in-slices.ts";
export {
  claimTick,
  inFreeTick,
  isLarge,
  isTickSpent,
  largeFrom,
  nextTurn,
  type Pause,
  turnAfter,
  turnIfSpent,
} from "./pause.ts";
export { createThreadPool, type ThreadPool, TooManyTasksError } from "./thread-pool.ts";
