import { changesOf } from "./changes-of.ts";

interface Props {
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
}

/** The changes of an edit: the model's value, crossed out, and the new one. */
export function ArgumentsDiff({ before, after }: Props) {
  const changes = changesOf(before, after);
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
