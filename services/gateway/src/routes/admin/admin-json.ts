import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { modelProviders } from "@muster/language";
import type { ApiKey, Project, ProviderKey, ToolSecret } from "@muster/proto/auth";
import { badRequest } from "../../edge/errors/from-any.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import { monthlyLimitsJson, spendingLimitsJson } from "../../schemas/monthly-limits.ts";

/** The public fields of a key, without its secret. */
export function keyJson(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    projectId: key.projectId,
    agentId: key.agentId ?? null,
    createdAt: isoOf(key.createdAt),
    expiresAt: optionalIsoOf(key.expiresAt),
    limits: spendingLimitsJson(key.limits),
  };
}

/** A key as the list shows it. */
export function listedKeyJson(key: ApiKey) {
  return { ...keyJson(key), lastUsedAt: optionalIsoOf(key.lastUsedAt), anyProject: key.anyProject };
}

// With an offset or Z: a local time would mean a different instant on each server.
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The time at which a key stops working; undefined for never. Throws INVALID_REQUEST for a malformed one. */
export function expiryOf(text: string | null | undefined): Timestamp | undefined {
  return text == null ? undefined : readTime(text, "body", "expiresAt");
}

/** Throws INVALID_REQUEST for a text that is not a time. */
export function readTime(text: string, part: "body" | "querystring", path: string): Timestamp {
  const timeMs = isoTime.test(text) && isInCalendar(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timeMs)) return timestampFromMs(timeMs);
  throw badRequest(part, [{ path, message: "must be an ISO 8601 time such as 2030-01-31T00:00:00Z" }]);
}

/** `Date.parse` accepts the 31st of every month and returns a day of the next month. */
function isInCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

export function projectJson({ id, name, createdAt, limits, approvals, toolHosts, revision }: Project) {
  const ofWorkforce = monthlyLimitsJson({
    monthlyUsd: limits?.workforceMonthlyUsd,
    monthlyTokens: limits?.workforceMonthlyTokens,
    monthlyRuns: limits?.workforceMonthlyRuns,
  });
  return {
    id,
    name,
    createdAt: isoOf(createdAt),
    limits: {
      requestsPerMinute: limits?.requestsPerMinute ?? null,
      ...spendingLimitsJson(limits),
      perSubject: { monthlyUsd: spendingLimitsJson({ monthlyUsd: limits?.subjectMonthlyUsd }).monthlyUsd },
      workforceMonthlyUsd: ofWorkforce.monthlyUsd,
      workforceMonthlyTokens: ofWorkforce.monthlyTokens,
      workforceMonthlyRuns: ofWorkforce.monthlyRuns,
    },
    approvals,
    toolHosts: toolHosts.map(({ host, isUntrusted }) => ({ host, untrusted: isUntrusted })),
    revision,
  };
}

const withKeys: readonly string[] = modelProviders.filter((name) => name !== "demo");

/** Throws INVALID_REQUEST for a text that names no provider with keys. */
export function providerOf(text: string): string {
  if (withKeys.includes(text)) return text;
  throw badRequest("path", [{ path: "provider", message: `must be one of ${withKeys.join(", ")}` }]);
}

/** The public fields of a key. */
export function providerKeyJson({ provider, lastFour, createdAt, updatedAt }: ProviderKey) {
  return {
    provider,
    lastFour: lastFour || null,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
  };
}

/** The public fields of a secret. */
export function toolSecretJson({ host, lastFour, createdAt, updatedAt }: ToolSecret) {
  return { host, lastFour, createdAt: isoOf(createdAt), updatedAt: isoOf(updatedAt) };
}
