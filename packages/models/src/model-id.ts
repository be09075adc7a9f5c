import { type ProviderName, providers } from "./providers/index.ts";

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
