import type {
  Provenance,
  Recording,
  Thread,
  ThreadSummary,
  Usage,
  WaitingFor,
} from "@muster/proto/workforce";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import type { threadReply } from "../../schemas/workforce.ts";
import { runConfigJson } from "./run-config.ts";
import { definitionJson } from "./workforce-agent-json.ts";

/** A thread in a list. */
export function threadSummaryJson({ id, status, title, createdAt, completedAt, waitingFor }: ThreadSummary) {
  return {
    ...{ threadId: id, status, title },
    createdAt: isoOf(createdAt),
    completedAt: optionalIsoOf(completedAt),
    waitingFor: waitingForJson(waitingFor),
  };
}

function waitingForJson(waitingFor: WaitingFor | undefined) {
  if (waitingFor === undefined) return null;
  const { type, since, approvalIds, toolCallIds } = waitingFor;
  return {
    ...{ type, since: isoOf(since) },
    ...(approvalIds.length > 0 && { approvalIds }),
    ...(toolCallIds.length > 0 && { toolCallIds }),
  };
}

type ThreadJson = Omit<Static<typeof threadReply>, "messages">;

/**
 * The JSON of a thread, in pieces that together are the whole. Its messages arrive as JSON and are inserted unchanged.
 * `urlOf` makes the address of its recording.
 */
export function threadJson(
  thread: Thread,
  urlOf: (recording: Recording) => string | null,
): readonly [string, string, string] {
  const { runConfig, usage, recording, provenance, origin } = thread;
  const before = {
    threadId: thread.id,
    status: thread.status,
    failureReason: thread.failureReason ?? null,
    failureType: thread.failureType ?? null,
  };
  const after: Omit<ThreadJson, keyof typeof before> = {
    runConfig: runConfig === undefined ? null : runConfigJson(runConfig),
    usage: usage === undefined ? null : usageJson(usage),
    recording: recording === undefined ? null : { ...recordingJson(recording), url: urlOf(recording) },
    startedAt: optionalIsoOf(thread.startedAt),
    completedAt: optionalIsoOf(thread.completedAt),
    provenance: provenance === undefined ? null : provenanceJson(provenance),
    waitingFor: waitingForJson(thread.waitingFor),
    origin: origin === undefined ? null : { kind: origin.kind, id: origin.id },
  };
  return [
    `${JSON.stringify(before).slice(0, -1)},"messages":`,
    thread.messagesJson || "[]",
    `,${JSON.stringify(after).slice(1)}`,
  ];
}

/** Clients in use parse the fees as numbers. */
function usageJson({ currency, costUsd, totalFeeUsd, byok, ...tokens }: Usage) {
  return {
    currency,
    costUsd: Number(costUsd),
    totalFeeUsd: Number(totalFeeUsd),
    byok,
    inputTokens: Number(tokens.inputTokens),
    outputTokens: Number(tokens.outputTokens),
    totalTokens: Number(tokens.totalTokens),
  };
}

function recordingJson({ status, visibility, error }: Recording) {
  return { status, visibility, error: error ?? null };
}

function provenanceJson({ deployments, definition, computer }: Provenance) {
  return {
    platform: {
      deployments: deployments.map(({ deploymentId, commitSha, firstSeenAt }) => ({
        deploymentId,
        commitSha,
        firstSeenAt: isoOf(firstSeenAt),
      })),
    },
    definition: definitionJson(definition),
    computer:
      computer === undefined
        ? null
        : {
            kind: computer.kind,
            os: computer.os,
            runtimeVersion: computer.runtimeVersion,
            imageVersion: computer.imageVersion ?? null,
            region: computer.region ?? null,
          },
  };
}

/** The address of the video: permanent if public, otherwise signed again with each call. Null until there is one. */
export function recordingUrl(
  { recordingFiles, publicUrl }: Pick<GatewayContext, "recordingFiles" | "publicUrl">,
  request: Pick<FastifyRequest, "protocol" | "host">,
  { id, status, visibility }: Recording,
): string | null {
  const base = publicUrl ?? baseUrlOf(request);
  if (status !== "ready" || id === "" || recordingFiles === undefined || base === undefined) return null;
  const query = visibility === "public" ? "" : `?token=${recordingFiles.addresses.sign(id)}`;
  return `${base}/r/${id}.webm${query}`;
}
