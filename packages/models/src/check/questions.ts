import type { ProviderConfig } from "../config.ts";
import type { ProviderName } from "../model-id.ts";
import { baseUrlOf } from "../providers.ts";

/** A request that tells whether a provider takes a key, and costs nothing. */
export interface Question {
  url: string;
  headers: Record<string, string>;
}

interface QuestionRow {
  /** Follows the base URL. */
  path: string;
  keyHeaders: (key: string) => Record<string, string>;
  headers?: Record<string, string>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The smallest answer that a key is needed for. */
const rows: Record<ProviderName, QuestionRow> = {
  anthropic: {
    path: "/models?limit=1",
    keyHeaders: (key) => ({ "x-api-key": key }),
    headers: { "anthropic-version": "2023-06-01" },
  },
  openai: { path: "/models", keyHeaders: bearer },
  google: { path: "/models?pageSize=1", keyHeaders: (key) => ({ "x-goog-api-key": key }) },
  xai: { path: "/models", keyHeaders: bearer },
  // Anybody may list its models, so that would say nothing about the key.
  aggregator: { path: "/key", keyHeaders: bearer },
  local: { path: "/models", keyHeaders: bearer },
};

export function questionFor(name: ProviderName, provider: ProviderConfig): Question {
  const { path, keyHeaders, headers } = rows[name];
  const key = provider.apiKey?.reveal();
  return {
    url: baseUrlOf(name, provider) + path,
    headers: { accept: "application/json", ...headers, ...(key !== undefined && keyHeaders(key)) },
  };
}
