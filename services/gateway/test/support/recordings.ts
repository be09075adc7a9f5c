import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createInProcessBus } from "@muster/events";
import { type GetRecordingResponse, GetRecordingResponseSchema } from "@muster/proto/recordings";
import { callerOf, isPlatform, Reason, rpcError } from "@muster/rpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createRecordings } from "@muster/storage/recordings";
import { temporaryDirectory } from "@muster/testing";
import type { TestContext } from "vitest";
import type { GatewayConfig } from "../../src/config.ts";
import { makeKey, type ScriptedRecordings, type ScriptedWorkforce, startEdge } from "./start-edge.ts";

export type RecordingFields = Partial<
  Extract<MessageInitShape<typeof GetRecordingResponseSchema>, { $typeName?: never }>
>;

export interface Contents {
  video: Uint8Array | string;
  chapters: string;
  transcript: string;
}

export const agentId = "agt_lou";
export const keys = [new Secret("ab".repeat(32))];
const projectId = "default";
const startMs = Date.UTC(2030, 0, 31, 12);

/** A public recording that is ready. */
export const ready: RecordingFields & { id: string } = {
  ...{ id: "rec_1", projectId, agentId, threadId: "thr_1", status: "ready", visibility: "public", epoch: 3 },
  video: { durationMs: 65_000n, sizeBytes: 1_000n, width: 1280, height: 720 },
  run: {
    ...{ agentName: "Lou", task: "Which host failed most?", status: "completed", model: "demo/echo" },
    ...{ startedAt: timestampFromMs(startMs), endedAt: timestampFromMs(startMs + 125_000) },
    usage: { costUsd: "0.0123", inputTokens: 1_234n, outputTokens: 56n },
  },
  readyAt: timestampFromMs(startMs + 180_000),
};

/** A gateway in front of recordings. `set` adds one, `store` its files. */
export async function startWatching(
  t: TestContext,
  changed: Partial<GatewayConfig> = {},
  scripted: ScriptedRecordings = {},
  workforce: ScriptedWorkforce = {},
) {
  const directory = await temporaryDirectory(t);
  const files = createRecordings({ directory, keys, retentionDays: 0 }, systemClock);
  const known = new Map<string, GetRecordingResponse>();
  const recordings: ScriptedRecordings = {
    getRecording: async ({ recordingId }, context) => {
      if (!isPlatform(callerOf(context))) throw rpcError(Reason.FORBIDDEN, "Only for the platform.");
      const found = known.get(recordingId);
      if (found === undefined) throw rpcError(Reason.NOT_FOUND, "The recording does not exist.");
      return found;
    },
    ...scripted,
  };
  const bus = createInProcessBus({ log: silentLogger });
  const config = { files: { directory, keys, keepDays: 0 }, ...changed };
  const hired = { readHiredAgent: async () => ({}), ...workforce };
  const edge = await startEdge(t, {}, config, silentLogger, bus, hired, [], recordings);
  const store = async ({ id, epoch = 3 }: { id: string; epoch?: number }, contents: Partial<Contents>) => {
    const { video = "", chapters = "WEBVTT\n", transcript = "WEBVTT\n" } = contents;
    const folder = await temporaryDirectory(t);
    const paths = {
      ...{ video: join(folder, "a"), chapters: join(folder, "b"), transcript: join(folder, "c") },
    };
    await writeFile(paths.video, video);
    await writeFile(paths.chapters, chapters);
    await writeFile(paths.transcript, transcript);
    await files.storage.put({ projectId, recordingId: id, epoch }, paths);
  };
  return {
    ...{ edge, directory, files, store },
    set: (fields: RecordingFields) => {
      const recording = create(GetRecordingResponseSchema, { ...ready, ...fields });
      known.set(recording.id, recording);
    },
    forget: (id: string) => known.delete(id),
    keyOf: async (fields: Record<string, unknown>) => (await makeKey(edge, fields)).key,
  };
}
