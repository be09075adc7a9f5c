import { FetchProblem } from "@muster/guarded-fetch";
import { GrowingBuffer } from "@muster/large-data";
import type { VolumeLimits } from "../files/limits.ts";
import { blobsIn, checkManifest } from "../files/load.ts";
import { ManifestError } from "../files/manifest.ts";
import type { SandboxFetch } from "../network/sandbox-fetch.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { FrameError, type ReceivedFrame, readFrames } from "./frame-reader.ts";
import { frameTypes } from "./frames.ts";
import type { FetchHead, Job } from "./job.ts";
import { JobKilledError, type KillReason } from "./job-killed-error.ts";
import { createLine, type Line } from "./line.ts";
import { readFetchRequest, readJobEnd } from "./read-request.ts";
import type { JobResult } from "./runtime.ts";
import type { ShellProcess } from "./start-shell-process.ts";
import { createUploads } from "./uploads.ts";

/** For everything before and after the command: loading the shell, and sending what has changed. */
const overheadTimeoutMs = 120_000;
/** The shell ends a command by itself at its timeout, if it can; then its files are kept. */
const timeoutGraceMs = 1_000;
const maxFetchRequestBytes = 16 * 1024 * 1024;
/** More than the longest possible entries. */
const maxBytesPerEntry = 6_000;

export interface JobInput {
  job: Job;
  /** The manifest of the files that the command works on. */
  manifest: Uint8Array;
  blobs: BlobStore;
  limits: VolumeLimits;
  /** Absent: no network. */
  fetch: SandboxFetch | undefined;
  output(stream: "stdout" | "stderr", text: string): void;
  signal: AbortSignal;
}

/** Runs a command in a process that was started for it, and stores the contents of the files that it changed. */
export async function runJob(shell: ShellProcess, input: JobInput): Promise<JobResult> {
  const line = createLine(shell.line);
  const uploads = createUploads(input.blobs, input.job.epoch);
  let timer: NodeJS.Timeout | undefined;
  const allow = (ms: number, reason: KillReason): void => {
    clearTimeout(timer);
    timer = setTimeout(() => shell.kill(reason), ms);
  };
  try {
    allow(overheadTimeoutMs, "broken");
    await sendJob(line, input);
    const { exitCode, manifest, known } = await serve({ shell, line, uploads, input, allow });
    clearTimeout(timer);
    const uploaded = await uploads.end();
    if (manifest.length === 0) return { exitCode };
    const before = await known();
    await checkManifest(manifest, (blob) => before.has(blob) || uploaded.has(blob), input.limits);
    return { exitCode, manifest };
  } catch (error) {
    // Not `BlobError`: that is the fault of the disk.
    if (!(error instanceof FrameError) && !(error instanceof ManifestError)) throw error;
    throw new JobKilledError("broken", error.message);
  } finally {
    clearTimeout(timer);
    await uploads.drop();
  }
}

async function sendJob(line: Line, { job, manifest }: JobInput): Promise<void> {
  await line.send(frameTypes.job, JSON.stringify(job));
  await line.sendAll(frameTypes.manifest, [manifest]);
  await line.send(frameTypes.start);
}

interface Served {
  exitCode: number;
  manifest: Uint8Array;
  known: KnownBlobs;
}

/** The contents in the manifest that the process has: it may see no others. */
type KnownBlobs = () => Promise<ReadonlySet<string>>;

interface Service {
  shell: ShellProcess;
  line: Line;
  uploads: ReturnType<typeof createUploads>;
  input: JobInput;
  /** Kills the process for the reason after this time, instead of at an earlier setting. */
  allow(ms: number, reason: KillReason): void;
}

/** Does what the process asks for until it has finished. */
async function serve({ shell, line, uploads, input, allow }: Service): Promise<Served> {
  let blobs: Promise<ReadonlySet<string>> | undefined;
  const known: KnownBlobs = () => {
    blobs ??= blobsIn(input.manifest);
    return blobs;
  };
  const manifest = createCollector(input.limits.maxEntries * maxBytesPerEntry);
  const request = createCollector(maxFetchRequestBytes);
  let exitCode: number | undefined;
  let printedBytes = 0;
  const handle = async ({ type, payload }: ReceivedFrame): Promise<boolean> => {
    switch (type) {
      case frameTypes.output:
        printedBytes += payload.length;
        if (printedBytes > input.job.maxOutputBytes) {
          shell.kill("output");
          throw new FrameError("too much output");
        }
        input.output(payload[0] === 2 ? "stderr" : "stdout", payload.toString("utf8", 1));
        break;
      case frameTypes.started:
        allow(input.job.timeoutMs + timeoutGraceMs, "timeout");
        break;
      case frameTypes.need: {
        const name = payload.toString("latin1");
        if (!(await known()).has(name)) throw new FrameError("it asks for an unknown content");
        await sendContent(line, input.blobs.read(name));
        break;
      }
      case frameTypes.fetch:
        if (payload.length > 0) request.add(payload);
        else await answerFetch(line, request.take(), input);
        break;
      case frameTypes.exit:
        exitCode = readJobEnd(payload).exitCode;
        allow(overheadTimeoutMs, "broken");
        break;
      case frameTypes.fileChunk:
        await uploads.add(payload);
        break;
      case frameTypes.fileEnd:
        await uploads.next();
        break;
      case frameTypes.newManifest:
        manifest.add(payload);
        break;
      case frameTypes.finished:
        return true;
      case frameTypes.failed:
        throw new JobKilledError("crashed", payload.toString());
      default:
        throw new FrameError("a frame has an unknown type");
    }
    return false;
  };
  try {
    for await (const frame of readFrames(shell.line)) {
      if ((await handle(frame)) && exitCode !== undefined)
        return { exitCode, manifest: manifest.take(), known };
    }
  } catch (error) {
    if (shell.killedFor === undefined) throw error;
  }
  await shell.ended;
  input.signal.throwIfAborted();
  throw new JobKilledError(shell.killedFor ?? "crashed", "the process of the command ended early");
}

async function sendContent(line: Line, content: AsyncIterable<Uint8Array>): Promise<void> {
  await line.sendAll(frameTypes.chunk, content);
  await line.end();
}

async function answerFetch(line: Line, payload: Buffer, { fetch, signal }: JobInput): Promise<void> {
  const request = readFetchRequest(payload);
  try {
    if (fetch === undefined) throw new FetchProblem("not-allowed", "This computer has no network.");
    const response = await fetch(request, signal);
    const head: FetchHead = {
      status: response.status,
      statusText: "",
      headers: [...response.headers],
      url: response.url.href,
    };
    await sendContent(line, asIterable(Buffer.from(JSON.stringify(head))));
    await sendContent(line, response.body);
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
    await line.send(frameTypes.refused, error.message);
  }
}

async function* asIterable(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Joins the payloads of a content, up to a limit. */
function createCollector(maxBytes: number) {
  const content = new GrowingBuffer(maxBytes);
  return {
    add(chunk: Buffer): void {
      if (content.length + chunk.length > maxBytes) throw new FrameError("a content is too large");
      content.add(Buffer.from(chunk));
    },
    take: () => content.take(),
  };
}
