import { integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";

const day = (description: string) =>
  optional(Type.String({ description, pattern: "^\\d{4}-\\d{2}-\\d{2}$", maxLength: 10 }));

export const usageQuery = Type.Object({
  from: day("The first day (UTC), such as 2026-11-01. Default: the first day of this month."),
  to: day("The last day (UTC), at most 400 days later. Default: today."),
  groupBy: optional(
    oneOf("The property to group the calls by. Default: `day`.", ["agent", "key", "subject", "model", "day"]),
  ),
  dailyTop: optional(
    text("How many of the most expensive groups also list their days. Default: none.", {
      pattern: numberPatterns[10],
    }),
  ),
});

const amounts = {
  calls: integer("Model calls."),
  inputTokens: integer("Input tokens, with those of caches."),
  outputTokens: integer("Output tokens, with reasoning."),
  providerFeeUsd: text("The charge of the model providers in US dollars, an exact decimal number."),
  bandwidthFeeUsd: text("The platform's charge, likewise."),
  totalFeeUsd: text("Both together, likewise."),
};

const usageGroup = object("UsageGroup", "The model calls with the same value of the property.", {
  name: nullable(
    "The id of the agent, the key or the model, the subject, or the day; null for calls of no key or no subject.",
    Type.String(),
  ),
  ...amounts,
  days: optional(
    list(
      "With `dailyTop`: the days of one of the most expensive groups, in their order.",
      object("UsageDay", "The calls of a day.", { day: text("The day (UTC)."), ...amounts }),
    ),
  ),
});

export const usageReply = object("UsageReport", "The usage of the project's model calls.", {
  from: text("The first day."),
  to: text("The last day."),
  groupBy: oneOf("The property.", ["agent", "key", "subject", "model", "day"]),
  groups: list("The most expensive first; days in their order.", usageGroup),
  total: object("UsageTotal", "All calls together.", amounts),
});
