import { isPlainObject } from "@muster/language/json";

/** An object of an event, whose fields may be anything. */
export type EventRecord = Readonly<Record<string, unknown>>;

/** Reads an event. Undefined if it is not a JSON object. */
export function readRecord(json: string): EventRecord | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a field; empty if it is none. */
export function textOf(record: EventRecord, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" ? value : "";
}

export function numberOf(record: EventRecord, key: string): number | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function recordOf(record: EventRecord, key: string): EventRecord {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return isPlainObject(value) ? value : {};
}

export function recordsOf(record: EventRecord, key: string): EventRecord[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
