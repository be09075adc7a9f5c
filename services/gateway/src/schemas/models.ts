import { Type } from "@muster/wire/schema";
import { text } from "./common.ts";

export const modelListQuery = Type.Object({
  provider: Type.Optional(text("Return only models of this provider, such as `anthropic`.")),
});

const price = text("US dollars per million tokens, a decimal number.");
const priceOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const tier = Type.Object(
  {
    minInputTokens: Type.Integer({ description: "The tier applies from this number of input tokens." }),
    inputPer1M: price,
    outputPer1M: price,
  },
  { title: "PriceTier", description: "Prices of the whole request if it reaches `minInputTokens`." },
);

const pricing = Type.Object(
  {
    inputPer1M: price,
    outputPer1M: price,
    cacheReadPer1M: priceOrNull("Price of cached input; null if it equals that of other input."),
    reasoningPer1M: priceOrNull("Price of reasoning; null if it equals that of other output."),
    bandwidthPer1M: text("The platform's own fee, for both input and output."),
    tiers: Type.Array(tier, { description: "Ascending; empty for flat prices." }),
  },
  { title: "Pricing", description: "What the model costs." },
);

const model = Type.Object(
  {
    id: text("The value for an agent's `model` field."),
    name: text("The name for users."),
    provider: text("The provider's slug."),
    routing: Type.Enum(["direct", "aggregator"], { description: "How requests reach the provider." }),
    contextLength: Type.Union([Type.Integer(), Type.Null()], { description: "In tokens; null if unknown." }),
    pricing,
  },
  { title: "Model", description: "A language model." },
);

export const modelListReply = Type.Object(
  { models: Type.Array(model, { description: "By provider, then by id." }) },
  { title: "ModelList", description: "The models that agents can name." },
);
