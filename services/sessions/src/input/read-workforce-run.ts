import type { RunSettings } from "@muster/engine";
import { thinkingLevels } from "@muster/models";
import { type SpendingLimit as LimitMessage, UsageScope, type WorkforceRun } from "@muster/proto/sessions";
import { type Issues, invalidRequest, readApprovalRules } from "@muster/rpc";
import type { SpendingLimit } from "../store/session-document.ts";
import { toStoredFile } from "./trigger-command.ts";
import { checkId, maxFiles } from "./values.ts";

const maxRequestIdLength = 128;
const maxModelIdLength = 200;
const maxCapabilities = 100;
const decimal = /^\d{1,15}(\.\d{1,18})?$/;

/** A well-formed call of the workforce service. */
export type RunCommand = ReturnType<typeof readWorkforceRun>;

/** Throws INVALID_REQUEST with every issue. */
export function readWorkforceRun(issues: Issues, run: WorkforceRun | undefined) {
  if (run === undefined) throw invalidRequest("run", "is required for the sessions of workforce threads");
  issues.checkLength("run.requestId", run.requestId, { min: 1, max: maxRequestIdLength });
  if (run.keyId !== undefined) checkId(issues, "run.keyId", run.keyId);
  const driverEpoch = Number(run.driverEpoch);
  if (!Number.isSafeInteger(driverEpoch)) issues.add("run.driverEpoch", "must be less than 2^53");
  return {
    requestId: run.requestId,
    driverEpoch,
    /** With a repeated `requestId`: the last event that the caller has. */
    after: run.afterSequence,
    settings: readSettings(issues, run),
    /** The key that the use counts for. */
    keyId: run.keyId,
    limits: readLimits(issues, run.limits),
  };
}

function readSettings(issues: Issues, run: WorkforceRun): RunSettings {
  const { model, backupModel, capabilities } = run;
  const bounds = { min: 1, max: maxModelIdLength };
  if (model !== undefined) issues.checkLength("run.model", model, bounds);
  if (backupModel !== undefined) issues.checkLength("run.backupModel", backupModel, bounds);
  const thinking = thinkingLevels.find((level) => level === run.thinking);
  if (run.thinking !== undefined && thinking === undefined) {
    issues.add("run.thinking", `must be one of ${thinkingLevels.join(", ")}`);
  }
  const files = run.files.map(toStoredFile);
  if (files.length > maxFiles) issues.add("run.files", `must have at most ${maxFiles} entries`);
  const count = Object.keys(capabilities).length;
  if (count > maxCapabilities) issues.add("run.capabilities", `must have at most ${maxCapabilities} entries`);
  const approvals = readApprovalRules(issues, "run.approvals", run.approvals);
  return {
    ...(model !== undefined && { model }),
    ...(backupModel !== undefined && { backupModel }),
    ...(thinking !== undefined && { thinking }),
    ...(count > 0 && { capabilities: { ...capabilities } }),
    ...(Object.keys(approvals).length > 0 && { approvals }),
    ...(files.length > 0 && { files }),
    ...(run.isForeign && { isForeign: true }),
  };
}

function readLimits(issues: Issues, limits: readonly LimitMessage[]): SpendingLimit[] {
  const seen = new Set<UsageScope>();
  return limits.map(({ scope, monthlyUsd, monthlyTokens }, index) => {
    const at = `run.limits.${index}`;
    const isKnown = scope === UsageScope.AGENT || scope === UsageScope.PROJECT;
    if (!isKnown || seen.has(scope)) issues.add(`${at}.scope`, "must be agent or project, each once");
    seen.add(scope);
    if (monthlyUsd !== undefined && !decimal.test(monthlyUsd)) {
      issues.add(`${at}.monthlyUsd`, "must be a decimal number, such as 12.5");
    }
    return {
      scope: scope === UsageScope.PROJECT ? "project" : "agent",
      ...(monthlyUsd !== undefined && { monthlyUsd }),
      // A limit above everything that can be used has no effect.
      ...(monthlyTokens !== undefined && { monthlyTokens: Math.min(Number(monthlyTokens), maxTokens) }),
    };
  });
}

const maxTokens = Number.MAX_SAFE_INTEGER;
