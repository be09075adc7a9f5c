import { Type } from "typebox";

export const modelListQuery = Type.Object({
  provider: Type.Optional(Type.String({ description: "Models of this provider only, such as `anthropic`." })),
});

const price = Type.String({ description: "US dollars for a million tokens, a decimal number." });
const priceOrNull = (whenNull: string) => Type.Union([price, Type.Null()], { description: whenNull });

const tier = Type.Object(
  {
    minInputTokens: Type.Integer({ description: "From so many input tokens on." }),
    inputPer1M: price,
    outputPer1M: price,
  },
  { description: "Prices of the whole request once it is long enough." },
);

const pricing = Type.Object({
  inputPer1M: price,
  outputPer1M: price,
  cacheReadPer1M: priceOrNull("Input that the provider had cached; null: as other input."),
  reasoningPer1M: priceOrNull("Reasoning; null: as other output."),
  bandwidthPer1M: Type.String({ description: "The platform's own fee, for input and output alike." }),
  tiers: Type.Array(tier, { description: "Ascending; empty for flat prices." }),
});

const model = Type.Object({
  id: Type.String({ description: "For an agent's `model` field." }),
  name: Type.String(),
  provider: Type.String(),
  routing: Type.Enum(["direct", "aggregator"]),
  contextLength: Type.Union([Type.Integer(), Type.Null()], { description: "Tokens; null when not known." }),
  pricing,
});

export const modelListReply = Type.Object({ models: Type.Array(model) });
