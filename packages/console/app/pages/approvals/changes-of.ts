type Args = Readonly<Record<string, unknown>>;

/** The values that differ, as JSON by their path. A missing one is undefined. */
export function changesOf(before: Args, after: Args) {
  const [earlier, later] = [leavesOf(before), leavesOf(after)];
  const paths = new Set([...earlier.keys(), ...later.keys()]);
  return [...paths]
    .map((path) => ({ path, from: earlier.get(path), to: later.get(path) }))
    .filter(({ from, to }) => from !== to);
}

/** Values as JSON by their path, such as `items.0.price`. */
function leavesOf(value: unknown, path = ""): Map<string, string> {
  const isParent = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isParent) return new Map(path === "" ? [] : [[path, JSON.stringify(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, child]) => [
      ...leavesOf(child, path === "" ? name : `${path}.${name}`),
    ]),
  );
}
