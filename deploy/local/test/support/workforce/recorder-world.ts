import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRecorderService, type RecorderOverrides } from "@muster/recorder";
import type { Timings } from "@muster/recorder/config";
import { Secret, silentLogger } from "@muster/service";
import { createDiskStorage } from "@muster/storage/recordings";
import { type TestScope, temporaryDirectory, until } from "@muster/testing";
import { startWorkforceWorld, type WorldOptions } from "./world.ts";

/** The part of a stored recording that tests check. */
interface StoredRecording {
  _id: string;
  status: string;
  epoch: number;
  attempts: number;
  lease: { recorder: string } | null;
  error?: string;
  video?: { sizeBytes: number; width: number };
}

export type RecorderWorld = Awaited<ReturnType<typeof startRecorderWorld>>;

/** All services behind the edge, with a folder for recordings, and recorders on demand. */
export async function startRecorderWorld(t: TestScope, options: WorldOptions = {}) {
  const directory = await temporaryDirectory(t);
  const world = await startWorkforceWorld(t, {
    ...options,
    workforce: {
      recordings: { directory, keys: [new Secret("k".repeat(64))], retentionDays: 30 },
      ...options.workforce,
    },
  });
  const storage = createDiskStorage(directory);
  const diary = join(directory, "diary");

  return {
    ...{ ...world, storage, diary },
    /** For recorders in processes of their own. */
    env: { ...world.env, ROLE: "recorder", FILES: directory, TMPDIR: await temporaryDirectory(t) },

    /** A recorder in this process. */
    addRecorder: async (over: Pick<RecorderOverrides, "render">, timings: Partial<Timings> = {}) => {
      const service = createRecorderService(
        {
          ...{ principalSecrets: [new Secret(world.env.SECRET)], directory, retentionDays: 30 },
          ...{ theme: "dark", priority: "normal", concurrency: 1, timings },
        },
        { bus: world.bus, log: silentLogger, workforce: world.first.transport, ...over },
      );
      t.onTestFinished(() => service.stop());
      await service.start();
      return service;
    },

    /** The stored recording of a thread with only one. */
    recordingOf: (threadId: string) =>
      world.db.collection<StoredRecording>("recordings").findOne({ threadId }),

    /** The attempts that have files. */
    epochsOf: async (recordingId: string): Promise<number[]> => {
      const epochs: number[] = [];
      for await (const attempt of storage.attempts())
        if (attempt.recordingId === recordingId) epochs.push(attempt.epoch);
      return epochs.sort();
    },

    /** The notes of small renderers: the process and its action. */
    notes: (): Array<{ pid: number; event: string }> => {
      try {
        const lines = readFileSync(diary, "utf8").trim().split("\n");
        return lines.map((line) => ({ pid: Number.parseInt(line, 10), event: line.replace(/^\d+ /, "") }));
      } catch {
        return [];
      }
    },
  };
}

/** Waits until none of these processes lives. */
export async function allEnded(pids: Iterable<number>): Promise<void> {
  for (const pid of pids) await until(`process ${pid} has ended`, () => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
