/** The caller's own data about a session, by key. */
export type Metadata = Readonly<Record<string, string>>;

/**
 * As stored: a list of JSON texts `["key","value"]`. BSON cannot name a field after every key, and an index over the
 * list finds sessions by any entry.
 */
export function toEntries(metadata: Metadata): string[] {
  return Object.entries(metadata).map(([key, value]) => entryOf(key, value));
}

export function entryOf(key: string, value: string): string {
  return JSON.stringify([key, value]);
}

/** From a document. */
export function fromEntries(entries: readonly string[] = []): Metadata {
  return Object.fromEntries(entries.map((entry): [string, string] => JSON.parse(entry)));
}
