import type { Context } from "../context.ts";
import type { Place } from "../diagnostics.ts";

/** `what` begins a sentence: see `availability.ts`. */
export function reportNotAvailable(what: string, place: Place, { report }: Context): void {
  const text = `${what}: not available on this server yet. The definition is accepted, but blocks that need this fail at run time.`;
  report.add("NOT_AVAILABLE", place, text);
}
