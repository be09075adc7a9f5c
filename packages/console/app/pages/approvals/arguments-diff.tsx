interface Props {
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
}

/** The values that differ, by their path. */
export function changesOf({ before, after }: Props) {
  const [earlier, later] = [leavesOf(before), leavesOf(after)];
  const paths = new Set([...earlier.keys(), ...later.keys()]);
  return [...paths]
    .map((path) => ({ path, from: earlier.get(path), to: later.get(path) }))
    .filter(({ from, to }) => from !== to);
}

/** What an edit changes: the model's value, crossed out, and the new one. */
export function ArgumentsDiff(props: Props) {
  const changes = changesOf(props);
  if (changes.length === 0) return <p className="text-table text-muted">Nothing is changed yet.</p>;
  return (
    <ul aria-label="Changes" className="grid gap-1.5 rounded-card border border-line bg-panel px-4 py-3">
      {changes.map(({ path, from, to }) => (
        <li key={path} className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 text-table">
          <span className="break-all text-muted">{path}</span>
          <span className="min-w-0 font-mono text-small break-words whitespace-pre-wrap">
            {from !== undefined && <del className="text-bad">{from}</del>}
            {from !== undefined && to !== undefined && " → "}
            {to !== undefined && <ins className="text-good no-underline">{to}</ins>}
          </span>
        </li>
      ))}
    </ul>
  );
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
