import { decimalOf } from "@muster/service/money";
import { inline, nullable, optional, Type } from "@muster/wire/schema";

const mostUsd = 999_999_999;
const maxTokens = 999_999_999_999_999;
const maxRuns = 1_000_000_000;

/** The limits of the use of models in a calendar month. */
export const spendingLimitFields = {
  monthlyUsd: nullable(
    "US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit.",
    Type.Number({ minimum: 0, maximum: mostUsd }),
  ),
  monthlyTokens: nullable(
    "Input and output tokens in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxTokens }),
  ),
};

/** The limit of the cost of an execution. */
export const maxUsd = optional(
  Type.Number({
    minimum: 0,
    maximum: mostUsd,
    description:
      "The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit.",
  }),
);

/** The limits of a workforce agent. */
export const monthlyLimitFields = {
  ...spendingLimitFields,
  monthlyRuns: nullable(
    "Runs in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxRuns }),
  ),
};

/** The limits of each subject. */
export const perSubject = inline("The limits of each subject of its sessions and executions.", {
  monthlyUsd: spendingLimitFields.monthlyUsd,
});

/** The limits of a project for its sessions, workers and workforce agents together, and for the last alone. */
export const projectLimitFields = {
  ...spendingLimitFields,
  perSubject,
  workforceMonthlyUsd: nullable(
    "US dollars of its workforce agents alone in a calendar month (UTC); null for no limit.",
    Type.Number({ minimum: 0, maximum: mostUsd }),
  ),
  workforceMonthlyTokens: nullable(
    "Tokens of its workforce agents alone in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxTokens }),
  ),
  workforceMonthlyRuns: nullable(
    "Runs of its workforce agents in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxRuns }),
  ),
};

/** Changes of the limits of a key. */
export const spendingLimitChanges = {
  monthlyUsd: optional(spendingLimitFields.monthlyUsd),
  monthlyTokens: optional(spendingLimitFields.monthlyTokens),
};

/** Changes of the limits of a workforce agent. */
export const monthlyLimitChanges = {
  ...spendingLimitChanges,
  monthlyRuns: optional(monthlyLimitFields.monthlyRuns),
};

/** Changes of the monthly limits of a project. */
export const projectLimitChanges = {
  ...spendingLimitChanges,
  perSubject: optional(nullable("The limits of each subject; null for none.", perSubject)),
  workforceMonthlyUsd: optional(projectLimitFields.workforceMonthlyUsd),
  workforceMonthlyTokens: optional(projectLimitFields.workforceMonthlyTokens),
  workforceMonthlyRuns: optional(projectLimitFields.workforceMonthlyRuns),
};

/** Monthly limits, as a service sends them. */
interface MonthlyLimits {
  monthlyUsd?: string | undefined;
  monthlyTokens?: bigint | undefined;
  monthlyRuns?: number | undefined;
}

export function monthlyLimitsJson(limits: MonthlyLimits = {}) {
  return { ...spendingLimitsJson(limits), monthlyRuns: limits.monthlyRuns ?? null };
}

export function spendingLimitsJson({ monthlyUsd, monthlyTokens }: Omit<MonthlyLimits, "monthlyRuns"> = {}) {
  return {
    monthlyUsd: monthlyUsd === undefined ? null : Number(monthlyUsd),
    monthlyTokens: monthlyTokens === undefined ? null : Number(monthlyTokens),
  };
}

/** From a body to the field of a message. */
export function toMaxUsd({ maxUsd: limit }: { maxUsd?: number | undefined }) {
  return limit === undefined ? {} : { maxUsd: decimalOf(limit) };
}

/** From a body to the message of a new limit; null is none. */
export function toSpendingLimits({ monthlyUsd, monthlyTokens }: SpendingLimitsBody) {
  return {
    ...(monthlyUsd != null && { monthlyUsd: decimalOf(monthlyUsd) }),
    ...(monthlyTokens != null && { monthlyTokens: BigInt(monthlyTokens) }),
  };
}

/** From a body to the message of changes. Absent fields stay unchanged; null removes a limit. */
export function toSpendingChanges({ monthlyUsd, monthlyTokens }: SpendingLimitsBody) {
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd === null ? "" : decimalOf(monthlyUsd) }),
    ...(monthlyTokens !== undefined && {
      monthlyTokens: monthlyTokens === null ? {} : { value: BigInt(monthlyTokens) },
    }),
  };
}

interface SpendingLimitsBody {
  monthlyUsd?: number | null | undefined;
  monthlyTokens?: number | null | undefined;
}
