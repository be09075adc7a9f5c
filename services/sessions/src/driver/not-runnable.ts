import { ModelFailure } from "@muster/models";

/** The failure of a call that no configured provider can make. `problem` is a sentence. */
export function notRunnable(modelId: string, problem: string): ModelFailure {
  const [name = "unknown", ...model] = modelId.split("/");
  return new ModelFailure({
    message: problem,
    errorType: "not_found_error",
    source: "platform",
    retryable: false,
    transient: false,
    provider: { name, model: model.join("/") },
  });
}
