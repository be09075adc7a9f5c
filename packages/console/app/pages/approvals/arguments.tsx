import { Facts } from "../../parts/page.tsx";

/** Arguments as a form that one reads: names and values, nested ones below their name. */
export function Arguments({ args }: { args: Readonly<Record<string, unknown>> }) {
  if (Object.keys(args).length === 0) return <p className="text-table text-muted">It has no arguments.</p>;
  return (
    <div className="rounded-card border border-line bg-panel px-4 py-3">
      <Fields value={args} />
    </div>
  );
}

function Fields({ value }: { value: object }) {
  return (
    <Facts
      rows={Object.entries(value).map(([name, field]) => [name, <Value key={name} value={field} />] as const)}
    />
  );
}

function Value({ value }: { value: unknown }) {
  if (typeof value === "string") return <span className="whitespace-pre-wrap">{value}</span>;
  if (typeof value !== "object" || value === null)
    return <span className="font-mono text-small">{String(value)}</span>;
  const isList = Array.isArray(value);
  if (Object.keys(value).length === 0)
    return <span className="text-muted">{isList ? "an empty list" : "empty"}</span>;
  if (isList && value.every((item) => typeof item !== "object" || item === null))
    return <span>{value.map(String).join(", ")}</span>;
  return (
    <div className="border-l border-line pl-3">
      <Fields value={value} />
    </div>
  );
}
