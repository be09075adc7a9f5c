import { Type } from "@muster/wire/schema";
import { nullable } from "./common.ts";

const maxUsd = 999_999_999;
const maxTokens = 999_999_999_999_999;
const maxRuns = 1_000_000_000;

/** The limits of a calendar month. */
export const monthlyLimitFields = {
  monthlyUsd: nullable(
    Type.Number({ minimum: 0, maximum: maxUsd }),
    "US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit.",
  ),
  monthlyTokens: nullable(
    Type.Integer({ minimum: 0, maximum: maxTokens }),
    "Input and output tokens in a calendar month (UTC); null for no limit.",
  ),
  monthlyRuns: nullable(
    Type.Integer({ minimum: 0, maximum: maxRuns }),
    "Runs in a calendar month (UTC); null for no limit.",
  ),
};

/** Changes of the same. */
export const monthlyLimitChanges = {
  monthlyUsd: Type.Optional(monthlyLimitFields.monthlyUsd),
  monthlyTokens: Type.Optional(monthlyLimitFields.monthlyTokens),
  monthlyRuns: Type.Optional(monthlyLimitFields.monthlyRuns),
};
