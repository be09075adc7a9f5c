/** Looks up a name sent by a client, ignoring inherited properties such as `constructor`. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
