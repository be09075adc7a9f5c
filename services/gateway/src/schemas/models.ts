import { integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";

export const modelListQuery = Type.Object({
  provider: optional(text("Return only models of this provider, such as `anthropic`.")),
});

const price = text("US dollars per million tokens, a decimal number.");

const tier = object("PriceTier", "Prices of the whole request if it reaches `minInputTokens`.", {
  minInputTokens: integer("The tier applies from this number of input tokens."),
  inputPer1M: price,
  outputPer1M: price,
});

const pricing = object("Pricing", "The prices of the model.", {
  inputPer1M: price,
  outputPer1M: price,
  cacheReadPer1M: nullable("Price of cached input; null if it equals that of other input."),
  reasoningPer1M: nullable("Price of reasoning; null if it equals that of other output."),
  bandwidthPer1M: text("The platform's own fee, for both input and output."),
  tiers: list("Ascending; empty for flat prices.", tier),
});

const model = object("Model", "A language model.", {
  id: text("The value for an agent's `model` field."),
  name: text("The name for users."),
  provider: text("The provider's slug."),
  routing: oneOf("How requests reach the provider.", ["direct", "aggregator"]),
  contextLength: nullable("In tokens; null if unknown.", Type.Integer()),
  pricing,
});

export const modelListReply = object("ModelList", "The models that agents can name.", {
  models: list("By provider, then by id.", model),
});
