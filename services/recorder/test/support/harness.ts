import { createInProcessBus } from "@muster/events";
import { createLogger, Secret, silentLogger, systemClock } from "@muster/service";
import { createDiskStorage } from "@muster/storage/recordings";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import type { RenderPriority } from "@muster/video";
import type { Timings } from "../../src/config.ts";
import { createRecorderService, type RecorderOverrides } from "../../src/index.ts";
import { FakeRecordings } from "./fake-recordings.ts";
import { createSmallRenderer, type SmallRendererOptions } from "./index.ts";

const principalSecrets = [new Secret("0123456789abcdef0123456789abcdef")];
/** `TEST_LOG=1` shows the logs of recorders. */
const log = process.env.TEST_LOG ? createLogger({ name: "test", level: "debug" }) : silentLogger;

/** Fast where a test would wait; nothing here may fail a test on a slow machine. */
const fast: Partial<Timings> = { pollEveryMs: 20, repeatEveryMs: 10 };

export interface RecorderOptions extends SmallRendererOptions {
  concurrency?: number;
  timings?: Partial<Timings>;
  priority?: RenderPriority;
  over?: Partial<RecorderOverrides>;
}

export async function startWorld(t: TestScope) {
  const directory = await temporaryDirectory(t);
  const bus = createInProcessBus({ log });
  t.onTestFinished(() => bus.close());
  const recordings = new FakeRecordings(principalSecrets, systemClock);
  const storage = createDiskStorage(directory);

  /** Another recorder process, as far as one process can have several. */
  const addRecorder = async ({
    concurrency = 2,
    priority = "normal",
    timings,
    over,
    ...renderer
  }: RecorderOptions = {}) => {
    const service = createRecorderService(
      {
        ...{ principalSecrets, directory, concurrency, theme: "dark", priority, retentionDays: 30 },
        timings: { ...fast, ...timings },
      },
      { bus, log, workforce: recordings.transport, render: createSmallRenderer(renderer), ...over },
    );
    t.onTestFinished(() => service.stop());
    await service.start();
    return service;
  };

  const videoOf = async (recordingId: string, epoch: number): Promise<unknown> => {
    const file = await storage.open({ projectId: "default", recordingId, epoch }, "video.webm");
    if (file === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    for await (const piece of file.read()) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString());
  };

  const epochsOf = async (recordingId: string): Promise<number[]> => {
    const epochs: number[] = [];
    for await (const attempt of storage.attempts())
      if (attempt.recordingId === recordingId) epochs.push(attempt.epoch);
    return epochs.sort();
  };

  const announce = (recordingId: string, id = recordingId) =>
    bus.publish("workforce.recording", { projectId: "default", recordingId }, { id });

  return { ...{ directory, bus, recordings, storage, addRecorder, videoOf, epochsOf, announce } };
}
