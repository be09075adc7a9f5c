import type { LanguageModelV4 } from "@ai-sdk/provider";
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

/** The definition behind a model; the demo model has none. */
export function definitionOf(model: Pick<LanguageModelV4, "provider">): ProviderDefinition | undefined {
  const packageName = model.provider.split(".", 1)[0] ?? model.provider;
  return providers.find((candidate) => candidate.packageName === packageName);
}

export type ModelId = { provider: ProviderName; model: string } | { provider: "demo"; model: "echo" };

const maxModelIdLength = 200;
const modelPattern = /^[A-Za-z0-9~][A-Za-z0-9._:@+~-]*(?:\/[A-Za-z0-9~][A-Za-z0-9._:@+~-]*)*$/;

/**
 * Splits `provider/model-id` at its first slash. The model part may contain more slashes (`aggregator/vendor/model`)
 * but nothing that could change the path or host of a request.
 */
export function parseModelId(modelId: string): { ok: true; id: ModelId } | { ok: false; problem: string } {
  const slash = modelId.indexOf("/");
  const [name, model] = [modelId.slice(0, slash), modelId.slice(slash + 1)];
  if (slash < 1 || modelId.length > maxModelIdLength || !modelPattern.test(model) || model.includes("..")) {
    return {
      ok: false,
      problem: `${quote(modelId)} is not a model id; write provider/model-id, such as demo/echo.`,
    };
  }
  if (name === "demo") {
    if (model === "echo") return { ok: true, id: { provider: "demo", model } };
    return {
      ok: false,
      problem: `The model ${quote(modelId)} does not exist; the only demo model is demo/echo.`,
    };
  }
  const provider = providers.find((candidate) => candidate.name === name);
  if (provider === undefined) {
    const known = providers.map((candidate) => candidate.name).join(", ");
    return { ok: false, problem: `${quote(name)} is not a model provider; use one of ${known} or demo.` };
  }
  return { ok: true, id: { provider: provider.name, model } };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
