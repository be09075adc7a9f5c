// What the data set lacks or says that does not hold for us. A test fails when a row has no effect any more.

/** Models of our own. They cost nothing, the platform's fee included. */
export const ownModels = [{ id: "demo/echo", name: "Echo (no language model)" }] as const;

/** Any model of these exists as far as the catalog can tell, and its provider charges nothing. None is listed. */
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
 * What is paid by tokens of text and yet cannot be an agent's model. Tested against our ids, which have at most 200
 * characters.
 */
export const unsuited: ReadonlyArray<{ ids: RegExp; because: string }> = [
  { ids: /^openai\/gpt-image-/, because: "makes images only" },
  { ids: /^google\/gemini-omni-/, because: "makes videos only" },
  { ids: /^(?:openai|google)\/.*-tts$/, because: "makes speech only" },
  { ids: /^openai\/.*-transcribe$/, because: "transcribes speech only" },
  { ids: /^openai\/gpt-(?:.*-)?realtime/, because: "is reached by calls with sound only" },
  { ids: /^google\/gemini-(?:.*-)?live-/, because: "is reached by calls with sound only" },
  { ids: /^openai\/moderation$/, because: "sorts texts only" },
  {
    ids: /^openai\/(?:ada|babbage|curie|davinci|text-davinci-.*|gpt-3\.5-turbo-instruct)$/,
    because: "cannot chat",
  },
  {
    ids: /^google\/claude-/,
    because: "is sold on Google Cloud, not by the Gemini API that google/ stands for",
  },
  {
    ids: /^google\/.*-maas$/,
    because: "is sold on Google Cloud, not by the Gemini API that google/ stands for",
  },
];
