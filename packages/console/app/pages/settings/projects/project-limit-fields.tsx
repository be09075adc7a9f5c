import type { Project } from "@muster/client";
import { TextField } from "../../../parts/field.tsx";
import { type At, numberIn } from "../../../parts/form.tsx";

type Limits = Project["limits"];

const fields: ReadonlyArray<readonly [path: string, label: string, read: (limits: Limits) => number | null]> =
  [
    ["monthlyUsd", "US dollars a month", ({ monthlyUsd }) => monthlyUsd],
    ["monthlyTokens", "Tokens a month", ({ monthlyTokens }) => monthlyTokens],
    ["perSubject.monthlyUsd", "US dollars of a subject", ({ perSubject }) => perSubject.monthlyUsd],
    ["requestsPerMinute", "Requests a minute", ({ requestsPerMinute }) => requestsPerMinute],
    ["workforceMonthlyUsd", "US dollars of the workforce", (limits) => limits.workforceMonthlyUsd],
    ["workforceMonthlyTokens", "Tokens of the workforce", (limits) => limits.workforceMonthlyTokens],
    ["workforceMonthlyRuns", "Runs of the workforce", (limits) => limits.workforceMonthlyRuns],
  ];

/** The limits of a project, by calendar month in UTC, and for requests by minute. */
export function projectLimitFields(at: At, limits?: Limits) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      {fields.map(([path, label, read]) => (
        <TextField
          key={path}
          label={label}
          inputMode="decimal"
          placeholder={path === "requestsPerMinute" ? "the installation’s" : "no limit"}
          defaultValue={(limits && read(limits)) ?? ""}
          {...at(`limits.${path}`)}
        />
      ))}
    </div>
  );
}

/** An empty field removes a limit. */
export function limitsIn(values: FormData): Record<string, unknown> {
  const { "perSubject.monthlyUsd": monthlyUsd, ...limits } = Object.fromEntries(
    fields.map(([path]) => [path, numberIn(values, `limits.${path}`)]),
  );
  return { ...limits, perSubject: { monthlyUsd } };
}
