import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RunConfig, RunConfigSchema } from "@muster/proto/workforce";
import type { Static } from "@muster/wire/schema";
import { badRequest } from "../../edge/errors/from-any.ts";
import type { runConfig } from "../../schemas/workforce.ts";

type RunConfigJson = Static<typeof runConfig>;

/** The RPC's message for settings of a body, at the path. Throws INVALID_REQUEST for a visibility of a wrong type. */
export function toRunConfig(
  config: RunConfigJson,
  path: "config" | "settings",
): MessageInitShape<typeof RunConfigSchema> {
  const { model, backupModel, thinking, capabilities = {}, record, recordVisibility } = config;
  const isText = typeof recordVisibility === "string";
  if (record && recordVisibility !== undefined && !isText) {
    throw badRequest("body", [{ path: `${path}.recordVisibility`, message: "must be a string" }]);
  }
  return {
    ...(model !== undefined && { model }),
    ...(backupModel !== undefined && { backupModel }),
    ...(thinking !== undefined && { thinking }),
    capabilities,
    ...(record !== undefined && { record }),
    ...(isText && { recordVisibility }),
  };
}

/** The public form of settings. Unset fields are absent. */
export function runConfigJson(config: RunConfig) {
  const { model, backupModel, thinking, capabilities, record, recordVisibility } = config;
  return {
    ...(model !== undefined && { model }),
    ...(backupModel !== undefined && { backupModel }),
    ...(thinking !== undefined && { thinking }),
    capabilities,
    ...(record !== undefined && { record }),
    ...(recordVisibility !== undefined && { recordVisibility }),
  };
}
