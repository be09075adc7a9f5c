// Additions and corrections to the data set. A test fails if a row no longer has an effect.

/**
 * Muster's own models. They cost nothing, not even the platform's fee. The echo could read everything; its window is
 * small so that a conversation of a few pages shows the effects of a full one.
 */
export const ownModels = [
  { id: "demo/echo", name: "Echo (not a language model)", contextLength: 4_000 },
] as const;

/** Providers whose models are unknown: every model id is accepted and free of charge, and none is listed. */
export const unlistedProviders: readonly string[] = ["local"];

/** Missing context windows and wrong names, by our id. */
export const corrections: Readonly<Record<string, { name?: string; contextLength?: number }>> = {
  "google/gemini-2.5-pro": { contextLength: 1_048_576 },
  "google/gemini-3-pro-preview": { contextLength: 1_048_576 },
  "google/gemini-3.1-pro-preview": { contextLength: 1_048_576 },
  "google/gemini-flash-1.5-8b": { name: "Gemini 1.5 Flash-8B" },
  "openai/gpt-4-32k": { name: "GPT-4 32k" },
  "openai/o4-mini": { name: "o4-mini" },
};

/**
 * Models that are paid by tokens of text and yet cannot be an agent's model. Matched against our ids, which have at
 * most 200 characters.
 */
export const unsuited: ReadonlyArray<{ ids: RegExp; because: string }> = [
  { ids: /^openai\/gpt-image-/, because: "makes images only" },
  { ids: /^google\/gemini-omni-/, because: "makes videos only" },
  { ids: /^(?:openai|google)\/.*-tts$/, because: "makes speech only" },
  { ids: /^openai\/.*-transcribe$/, because: "transcribes speech only" },
  { ids: /^openai\/gpt-(?:.*-)?realtime/, because: "accepts only calls with sound" },
  { ids: /^google\/gemini-(?:.*-)?live-/, because: "accepts only calls with sound" },
  { ids: /^openai\/moderation$/, because: "only classifies texts" },
  {
    ids: /^openai\/(?:ada|babbage|curie|davinci|text-davinci-.*|gpt-3\.5-turbo-instruct)$/,
    because: "cannot chat",
  },
  {
    ids: /^google\/claude-/,
    because: "is sold on Google Cloud, not through the Gemini API that google/ refers to",
  },
  {
    ids: /^google\/.*-maas$/,
    because: "is sold on Google Cloud, not through the Gemini API that google/ refers to",
  },
];
