import type { modelProviders } from "@muster/language";
import type { ProviderDefinition } from "../provider-definition.ts";
import { aggregator } from "./aggregator.ts";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { local } from "./local.ts";
import { openai } from "./openai.ts";
import { xai } from "./xai.ts";

/** Providers that need configuration. `demo` needs none. */
export type ProviderName = Exclude<(typeof modelProviders)[number], "demo">;

/** The list of providers. It compiles only with the providers that the definition language knows, and with each of them. */
const definitions: { readonly [Name in ProviderName]: ProviderDefinition<Name> } = {
  anthropic,
  openai,
  google,
  xai,
  aggregator,
  local,
};

/** All providers, in the order in which they are shown. */
export const providers: ReadonlyArray<ProviderDefinition<ProviderName>> = Object.values(definitions);

export function providerNamed(name: ProviderName): ProviderDefinition<ProviderName> {
  return definitions[name];
}
