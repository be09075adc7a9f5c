import { inFreeTick, isTickSpent } from "./tick.ts";

/** Yields to other work. */
export type Pause = () => Promise<void>;

/**
 * Resolves once the main loop has served everything that waits, in a tick that has time for more: however many wait for
 * their turn at once, their work spreads over ticks. A resolved promise would not yield to others, and a single
 * immediate of a socket's callback still runs before the loop asks for new events.
 */
export const nextTurn: Pause = () =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(inFreeTick, resolve));
  });

/**
 * From this many characters or bytes on, data is worked on in slices or on another thread. Below it, a whole pass
 * over it takes about a millisecond, and the detour would cost more than it saves.
 */
export const largeFrom = 128 * 1024;

export function isLarge({ length }: { readonly length: number }): boolean {
  return length >= largeFrom;
}

/** After a pass over data: yields if the data is large, and otherwise costs nothing but the await. */
export function turnAfter(size: number): Promise<void> | undefined {
  return size >= largeFrom ? nextTurn() : undefined;
}

/** Before work that many can begin in one moment: yields if the tick has no time for more. */
export function turnIfSpent(): Promise<void> | undefined {
  return isTickSpent() ? nextTurn() : undefined;
}
