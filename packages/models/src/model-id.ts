/** Providers that need configuration. `demo` needs none. */
export const providerNames = ["anthropic", "openai", "google", "xai", "aggregator", "local"] as const;
export type ProviderName = (typeof providerNames)[number];

export type ModelId = { provider: ProviderName; model: string } | { provider: "demo"; model: "echo" };

const maxModelIdLength = 200;
const modelPattern = /^[A-Za-z0-9~][A-Za-z0-9._:@+~-]*(?:\/[A-Za-z0-9~][A-Za-z0-9._:@+~-]*)*$/;

/**
 * Splits `provider/model-id` at its first slash. The model part may hold more slashes (`aggregator/vendor/model`)
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
    return { ok: false, problem: `There is no model ${quote(modelId)}; the only demo model is demo/echo.` };
  }
  const provider = providerNames.find((candidate) => candidate === name);
  if (provider === undefined) {
    return {
      ok: false,
      problem: `${quote(name)} is not a model provider; known are ${providerNames.join(", ")} and demo.`,
    };
  }
  return { ok: true, id: { provider, model } };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
