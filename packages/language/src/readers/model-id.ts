/** The first part of a model id, before the slash. A test of the sessions service compares the list with the providers. */
export const modelProviders = [
  "anthropic",
  "openai",
  "google",
  "xai",
  "aggregator",
  "local",
  "demo",
] as const;

/** Other names in use for a provider or its models, which are not spelling mistakes. */
const otherNames: ReadonlyMap<string, (typeof modelProviders)[number]> = new Map([
  ["claude", "anthropic"],
  ["gpt", "openai"],
  ["gemini", "google"],
  ["vertex", "google"],
  ["grok", "xai"],
  ["openrouter", "aggregator"],
  ["ollama", "local"],
]);

/** The same id with the name that Muster gives the provider: `xai/…` for `x-ai/…`. Any other text stays unchanged. */
export function canonicalModelId(id: string): string {
  return id.startsWith("x-ai/") ? id.slice(0, 1) + id.slice(2) : id;
}

/** The provider behind another name, as a suggestion. */
export function otherProviderName(name: string): readonly string[] | undefined {
  const provider = otherNames.get(name);
  return provider && [provider];
}

/** The form of a model id, `provider/model-id`. */
export const modelIdPattern = /^(?<provider>[a-z0-9][a-z0-9-]*)(?:\/[A-Za-z0-9._:@+~-]+)+$/;
const maxModelIdLength = 200;

export type ModelIdCheck =
  | { ok: true }
  /** Not of the form `provider/model-id`. */
  | { ok: false; unknownProvider: undefined }
  /** An id of this form, but no provider has that name, so no configuration could ever make it run. */
  | { ok: false; unknownProvider: string };

export function checkModelId(text: string): ModelIdCheck {
  const id = canonicalModelId(text);
  const provider = text.length <= maxModelIdLength ? modelIdPattern.exec(id)?.groups?.provider : undefined;
  if (provider === undefined) return { ok: false, unknownProvider: undefined };
  return modelProviders.some((known) => known === provider)
    ? { ok: true }
    : { ok: false, unknownProvider: provider };
}
