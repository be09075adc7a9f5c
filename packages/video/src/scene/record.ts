/** An object of an event, whose fields may be anything. */
export type EventRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is EventRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an event. Undefined if it is not a JSON object. */
export function readRecord(json: string): EventRecord | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
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
  return isRecord(value) ? value : {};
}

export function recordsOf(record: EventRecord, key: string): EventRecord[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
