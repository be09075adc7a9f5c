import type { SessionsContext } from "../context.ts";
import type { Persistence } from "../driver/persistence.ts";

/** Long enough to tell whoever sends the last results again that they have arrived. */
const overForMs = 15 * 60_000;

/** How executions are stored that began in this request: there is no pause yet that is worth keeping. */
export function startedPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: soon, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

/** How executions are stored that went on from a pause. */
export function continuedPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: expiryFrom, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

function soon(nowMs: number): Date {
  return new Date(nowMs + overForMs);
}
