import type { Static } from "../schema/index.ts";
import { modelEntries } from "./model.ts";
import { toolEntries } from "./tools.ts";
import { turnEntries } from "./turn.ts";

/** The schema of every entry of a log, by its `type`. */
export const entrySchemas = { ...turnEntries, ...modelEntries, ...toolEntries };

export type EntryType = keyof typeof entrySchemas;

type ByType = { [Type in EntryType]: Static<(typeof entrySchemas)[Type]> };

/** An entry of a log. */
export type LogEntry = ByType[EntryType];

type Recorded<Entry> = Entry extends LogEntry
  ? Omit<Entry, "id" | "sequence" | "timestamp" | "executionId">
  : never;

/** An entry before the log gives it its identity. */
export type NewEntry = Recorded<LogEntry>;

export function isEntryType(type: unknown): type is EntryType {
  return typeof type === "string" && Object.hasOwn(entrySchemas, type);
}
