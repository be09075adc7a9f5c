import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { RecordedRun } from "@muster/proto/recordings";
import { type Html, html } from "./html.ts";

const outcomes: Readonly<Record<string, string>> = {
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  blocked: "Blocked",
};

export function outcomeOf({ status }: RecordedRun): string {
  return Object.hasOwn(outcomes, status) ? (outcomes[status] ?? status) : status;
}

/** The known facts about a run, as the rows of a list. */
export function factsOf(run: RecordedRun): Html[] {
  const { startedAt, endedAt, model, usage, failureReason } = run;
  const rows: Array<[name: string, value: string | Html]> = [
    ["Agent", run.agentName],
    ["Outcome", outcomeOf(run)],
  ];
  if (failureReason !== undefined) rows.push(["Reason", failureReason]);
  if (startedAt !== undefined) {
    const date = timestampDate(startedAt);
    rows.push(["Date", html`<time datetime="${date.toISOString()}">${dates.format(date)}</time>`]);
    if (endedAt !== undefined)
      rows.push(["Run time", spanOf(timestampDate(endedAt).getTime() - date.getTime())]);
  }
  if (model !== "") rows.push(["Model", model]);
  if (usage !== undefined) {
    rows.push(["Cost", usdOf(usage.costUsd)]);
    rows.push(["Tokens", `${countOf(usage.inputTokens)} in, ${countOf(usage.outputTokens)} out`]);
  }
  return rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`);
}

const dates = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
  ...{ timeZone: "UTC", timeZoneName: "short" },
});

/** `1 h 2 min`, `1 min 5 s`, `4 s`. */
export function spanOf(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** At least two digits after the point, and two that are not 0. */
export function usdOf(decimal: string): string {
  const amount = Number(decimal);
  if (!Number.isFinite(amount)) return decimal;
  const digits = amount <= 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(Math.min(digits, 12))}`;
}

function countOf(number: bigint): string {
  return number.toLocaleString("en");
}
