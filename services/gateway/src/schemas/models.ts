import { Type } from "typebox";

export const modelListQuery = Type.Object({
  provider: Type.Optional(
    Type.String({ description: "Return only models of this provider, such as `anthropic`." }),
  ),
});

const price = Type.String({ description: "US dollars per million tokens, a decimal number." });
const priceOrNull = (whenNull: string) => Type.Union([price, Type.Null()], { description: whenNull });

const tier = Type.Object(
  {
    minInputTokens: Type.Integer({ description: "The tier applies from this number of input tokens." }),
    inputPer1M: price,
    outputPer1M: price,
  },
  { description: "Prices of the whole request if it reaches `minInputTokens`." },
);

const pricing = Type.Object({
  inputPer1M: price,
  outputPer1M: price,
  cacheReadPer1M: priceOrNull("Price of cached input; null if it equals that of other input."),
  reasoningPer1M: priceOrNull("Price of reasoning; null if it equals that of other output."),
  bandwidthPer1M: Type.String({ description: "The platform's own fee, for both input and output." }),
  tiers: Type.Array(tier, { description: "Ascending; empty for flat prices." }),
});

const model = Type.Object({
  id: Type.String({ description: "The value for an agent's `model` field." }),
  name: Type.String(),
  provider: Type.String(),
  routing: Type.Enum(["direct", "aggregator"]),
  contextLength: Type.Union([Type.Integer(), Type.Null()], { description: "In tokens; null if unknown." }),
  pricing,
});

export const modelListReply = Type.Object({ models: Type.Array(model) });
