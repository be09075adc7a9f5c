/** Further away than this, a date says more than a number of days. */
const maxRelativeMs = 30 * 24 * 3_600_000;

const units: ReadonlyArray<[unit: "day" | "hour" | "minute", ms: number]> = [
  ["day", 24 * 3_600_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** An ISO 8601 time seen from `now`: `2 min ago`, `in 3 days`, or its date in UTC. Any other text stays unchanged. */
export function timeText(iso: string, now: number): string {
  const time = /^\d{4}-\d{2}-\d{2}T/.test(iso) ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(time)) return iso;
  const away = time - now;
  if (Math.abs(away) > maxRelativeMs) return iso.slice(0, 10);
  const [unit, ms] = units.find(([, ms]) => Math.abs(away) >= ms) ?? ["second", 1_000];
  const words = new Intl.RelativeTimeFormat("en-GB", { style: "short", numeric: "always" });
  const count = Math.trunc(away / ms);
  return count === 0 ? "now" : words.format(count, unit);
}
