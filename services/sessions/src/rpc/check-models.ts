import { create } from "@bufbuild/protobuf";
import { canonicalModelId } from "@muster/language";
import type { ProjectKeys } from "@muster/models";
import { CheckModelsResponseSchema } from "@muster/proto/sessions";
import { Issues, refuseToken } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf } from "../input/caller.ts";
import type { Handler } from "./handler.ts";

const maxModels = 10;
const maxModelIdLength = 200;

export const checkModels: Handler<"checkModels"> = async (context, { models }, call) => {
  const { projectId } = refuseToken(driverOf(call), "check models");
  const issues = new Issues();
  if (models.length > maxModels) issues.add("models", `must have at most ${maxModels} items`);
  for (const [index, model] of models.entries()) {
    issues.checkLength(`models.${index}`, model, { min: 1, max: maxModelIdLength });
  }
  issues.refuse();
  const keys = await context.projectSettings.keysOf(projectId);
  const problems = [];
  for (const model of models) {
    const message = await problemOf(context, canonicalModelId(model), keys);
    if (message !== undefined) problems.push({ model, message });
  }
  return create(CheckModelsResponseSchema, { problems });
};

/** One sentence with the remedy. Undefined: the model can be run. */
async function problemOf(
  { models, catalog }: SessionsContext,
  modelId: string,
  keys: ProjectKeys,
): Promise<string | undefined> {
  const resolved = await models.resolve(modelId, keys);
  if (!resolved.ok) return resolved.problem;
  if (!catalog.knows(modelId)) {
    return `The model ${JSON.stringify(modelId)} is not in the catalog; choose one of GET /api/models.`;
  }
  if (modelId.startsWith("aggregator/") && !resolved.usesProjectKey) {
    return `The model ${JSON.stringify(modelId)} runs only with a key of the project for aggregator; an admin can set one.`;
  }
  return undefined;
}
