export { type EntryType, entrySchemas, type LogEntry, type NewEntry } from "./entries.ts";
export { entrySchemaName } from "./fields.ts";
