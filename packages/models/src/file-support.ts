import type { LanguageModelV4 } from "@ai-sdk/provider";
import { allFiles, type FileSupport } from "./file-kinds.ts";
import { definitionOf } from "./providers/index.ts";

/** The files that a model takes. One that no table knows is sent everything, and its provider decides. */
export function fileSupportOf(model: Pick<LanguageModelV4, "provider" | "modelId">): FileSupport {
  const definition = definitionOf(model);
  if (definition === undefined) return allFiles;
  return definition.files(model.modelId, model.provider.split(".")[1] ?? "");
}
