import { create } from "@bufbuild/protobuf";
import { SumUsageResponseSchema } from "@muster/proto/sessions";
import { forbidden, Issues, isWorkforce } from "@muster/rpc";
import { driverOf } from "../input/caller.ts";
import { checkId } from "../input/values.ts";
import type { Handler } from "./handler.ts";

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

export const sumUsage: Handler<"sumUsage"> = async (
  context,
  { workforceAgentId, month, withSessions },
  call,
) => {
  const caller = driverOf(call);
  if (!isWorkforce(caller)) throw forbidden("Only the workforce service reads what its agents have used.");
  const issues = new Issues();
  if (!monthPattern.test(month)) issues.add("month", "must be a month, such as 2026-11");
  if (workforceAgentId !== undefined) checkId(issues, "workforceAgentId", workforceAgentId);
  if (workforceAgentId !== undefined && withSessions)
    issues.add("withSessions", "must not be combined with workforceAgentId");
  issues.refuse();
  const { projectId } = caller;
  const agents = workforceAgentId ?? { $exists: true as const };
  const scope = { projectId, month, ...(!withSessions && { workforceAgentId: agents }) };
  const { totalFee, tokens } = await context.usage.sum(scope);
  return create(SumUsageResponseSchema, { totalFeeUsd: totalFee, totalTokens: BigInt(tokens) });
};
