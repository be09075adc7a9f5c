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
