import type { Context } from "../context.ts";
import type { Place } from "../diagnostics.ts";

/** `what` begins a sentence: see `availability.ts`. */
export function reportNotAvailable(what: string, place: Place, { report }: Context): void {
  const text = `${what}: this server does not run it yet. The definition is accepted; what needs it fails and says so.`;
  report.add("NOT_AVAILABLE", place, text);
}
