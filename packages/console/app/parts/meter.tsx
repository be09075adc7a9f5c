interface Props {
  label: string;
  used: number;
  /** Null for no limit. */
  limit: number | null;
  format: (value: number) => string;
}

/** The used part of a limit, as numbers and as a bar. */
export function Meter({ label, used, limit, format }: Props) {
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-table">
        <span className="text-muted">{label}</span>
        <span>
          {format(used)}
          <span className="text-muted"> {limit === null ? "· no limit" : `of ${format(limit)}`}</span>
        </span>
      </div>
      {limit !== null && <Bar share={shareOf(used, limit)} />}
    </div>
  );
}

/** The used part of a limit, at most 1. */
export function shareOf(used: number, limit: number): number {
  return limit === 0 ? 1 : Math.min(used / limit, 1);
}

export function Bar({ share }: { share: number }) {
  const tone = share >= 1 ? "bg-bad" : share >= 0.8 ? "bg-warn" : "bg-accent";
  return (
    <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-line">
      <div className={`h-full rounded-full ${tone}`} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
