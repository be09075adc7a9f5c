import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RunConfig, RunConfigSchema } from "@muster/proto/workforce";
import type { Static } from "@muster/schema";
import type { runConfig } from "../../schemas/workforce.ts";

type RunConfigJson = Static<typeof runConfig>;

/** The RPC's message for settings of a body. */
export function toRunConfig(config: RunConfigJson): MessageInitShape<typeof RunConfigSchema> {
  const { capabilities = {}, ...rest } = config;
  const { model, backupModel, thinking, record, recordVisibility } = rest;
  return {
    ...(model !== undefined && { model }),
    ...(backupModel !== undefined && { backupModel }),
    ...(thinking !== undefined && { thinking }),
    capabilities,
    ...(record !== undefined && { record }),
    ...(recordVisibility !== undefined && { recordVisibility }),
  };
}

/** The public form of settings. What is not set is absent. */
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
