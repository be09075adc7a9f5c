import type { Context } from "../context.ts";
import type { Place } from "../diagnostics.ts";

/** `what` begins a sentence: see `availability.ts`. `effect` is a sentence about what happens at run time. */
export function reportNotAvailable(what: string, effect: string, place: Place, { report }: Context): void {
  const text = `${what}: not available on this server yet. The definition is accepted. ${effect}`;
  report.add("NOT_AVAILABLE", place, text);
}
