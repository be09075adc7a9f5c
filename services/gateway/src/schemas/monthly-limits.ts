import { nullable, optional, Type } from "@muster/wire/schema";

const maxUsd = 999_999_999;
const maxTokens = 999_999_999_999_999;
const maxRuns = 1_000_000_000;

/** The limits of a calendar month. */
export const monthlyLimitFields = {
  monthlyUsd: nullable(
    "US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit.",
    Type.Number({ minimum: 0, maximum: maxUsd }),
  ),
  monthlyTokens: nullable(
    "Input and output tokens in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxTokens }),
  ),
  monthlyRuns: nullable(
    "Runs in a calendar month (UTC); null for no limit.",
    Type.Integer({ minimum: 0, maximum: maxRuns }),
  ),
};

/** Changes of the same. */
export const monthlyLimitChanges = {
  monthlyUsd: optional(monthlyLimitFields.monthlyUsd),
  monthlyTokens: optional(monthlyLimitFields.monthlyTokens),
  monthlyRuns: optional(monthlyLimitFields.monthlyRuns),
};

/** Monthly limits of an agent or a project, as a service sends them. */
interface MonthlyLimits {
  monthlyUsd?: string | undefined;
  monthlyTokens?: bigint | undefined;
  monthlyRuns?: number | undefined;
}

export function monthlyLimitsJson({ monthlyUsd, monthlyTokens, monthlyRuns }: MonthlyLimits = {}) {
  return {
    monthlyUsd: monthlyUsd === undefined ? null : Number(monthlyUsd),
    monthlyTokens: monthlyTokens === undefined ? null : Number(monthlyTokens),
    monthlyRuns: monthlyRuns ?? null,
  };
}
