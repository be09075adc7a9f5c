import type { SessionsContext } from "../../context.ts";
import type { Persistence } from "../driver/persistence.ts";

/** Long enough for a caller that repeats its last results to learn that they have arrived. */
const overForMs = 15 * 60_000;

/** For executions that began in this request: they have no pause yet that is worth keeping. */
export function begunPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: soon, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

/** For executions that continued from a pause. */
export function continuedPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: expiryFrom, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

function soon(nowMs: number): Date {
  return new Date(nowMs + overForMs);
}
