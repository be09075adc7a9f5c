/** The methods of each path, to distinguish an unsupported method (405) from an unknown path (404). */
export class KnownPaths {
  readonly #methodsByPattern = new Map<string, Set<string>>();

  /** `pattern` as registered: `/api/agents/:id`, `/docs/*`. */
  add(pattern: string, methods: string | string[]): void {
    const known = this.#methodsByPattern.get(pattern) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.#methodsByPattern.set(pattern, known);
  }

  /** Sorted; empty for an unknown path. `url` may have a query. */
  methodsOf(url: string): string[] {
    const path = url.split(/[?#]/, 1)[0] ?? "";
    const methods = new Set<string>();
    for (const [pattern, known] of this.#methodsByPattern) {
      if (!matches(pattern, path)) continue;
      for (const method of known) methods.add(method);
    }
    return [...methods].sort();
  }
}

function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith("*")) return path.startsWith(pattern.slice(0, -1));
  const wanted = pattern.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      segment.startsWith(":") ? given[index] !== "" : segment === given[index],
    )
  );
}
