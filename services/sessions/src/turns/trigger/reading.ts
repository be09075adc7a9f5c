import { threadsReadBy } from "@muster/engine";
import type { InteractiveProgram } from "@muster/language";
import type { Reading } from "../../conversations/history/histories.ts";

/** The parts of their conversation that turns of this trigger read. A trigger that does not exist reads nothing. */
export function readingOf({ handlers }: InteractiveProgram, triggerName: string): Reading {
  const blocks = Object.hasOwn(handlers, triggerName) ? handlers[triggerName] : undefined;
  return { turn: threadsReadBy(blocks ?? []), turns: threadsReadBy(Object.values(handlers).flat()) };
}
