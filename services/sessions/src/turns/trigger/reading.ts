import { threadsReadBy } from "@muster/engine";
import type { InteractiveProgram } from "@muster/language";
import type { Reading } from "../../conversations/history/histories.ts";

/** What turns of this trigger read of their conversation. A trigger that does not exist reads nothing. */
export function readingOf({ handlers }: InteractiveProgram, triggerName: string): Reading {
  const blocks = Object.hasOwn(handlers, triggerName) ? handlers[triggerName] : undefined;
  return { turn: threadsReadBy(blocks ?? []), turns: threadsReadBy(Object.values(handlers).flat()) };
}
