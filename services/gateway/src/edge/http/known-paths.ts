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
    const methods = this.#matching(url).flatMap(([, known]) => [...known]);
    return [...new Set(methods)].sort();
  }

  /** The pattern of a path, the most literal one if several match; undefined for an unknown path. */
  patternOf(url: string): string | undefined {
    const patterns = this.#matching(url).map(([pattern]) => pattern);
    return patterns.sort((a, b) => wildcards(a) - wildcards(b))[0];
  }

  #matching(url: string): Array<[pattern: string, methods: Set<string>]> {
    const path = url.split(/[?#]/, 1)[0] ?? "";
    return [...this.#methodsByPattern].filter(([pattern]) => matches(pattern, path));
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

function wildcards(pattern: string): number {
  return pattern.split(/[:*]/).length - 1;
}
