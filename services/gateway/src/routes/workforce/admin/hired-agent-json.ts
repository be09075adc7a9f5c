import type { HiredAgent } from "@muster/proto/workforce";
import { internalProblem } from "../../../edge/errors/from-rpc.ts";
import { isoOf } from "../../../schemas/iso.ts";
import { monthlyLimitsJson } from "../../../schemas/monthly-limits-json.ts";
import { runConfigJson } from "../run-config.ts";
import { workforceAgentJson } from "../workforce-agent-json.ts";

/** A workforce agent as those who manage it see it. Throws INTERNAL unless it is complete. */
export function hiredAgentJson(hired: HiredAgent | undefined) {
  if (!hired?.agent || !hired.settings) throw internalProblem(new Error("an incomplete workforce agent"));
  return {
    ...workforceAgentJson(hired.agent),
    projectId: hired.projectId,
    definitionId: hired.definitionId || null,
    paused: hired.paused,
    settings: runConfigJson(hired.settings),
    limits: monthlyLimitsJson(hired.limits),
    createdAt: isoOf(hired.createdAt),
  };
}
