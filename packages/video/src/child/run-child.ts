import { type ChildProcess, fork } from "node:child_process";
import { shipped } from "@muster/service/shipped";
import type { Order, RenderedFiles, RenderOptions, Report } from "./job.ts";
import { processCpuMs } from "./process-cpu-ms.ts";
import { RenderError, type RenderFailure } from "./render-error.ts";

const minuteMs = 60_000;
const usualLimits = { memoryMb: 700, cpuMs: 60 * minuteMs, stallMs: minuteMs, readCpuMs: processCpuMs };
const usualStarveMs = { low: 2 * minuteMs, normal: 60 * minuteMs };
/** The interval between checks of a process that is silent. */
const lookEveryMs = 5_000;
/** The share of the memory that JavaScript may use; the encoder and the picture live outside its heap. */
const heapShare = 0.5;
const keptErrorLength = 4000;
/** The child needs no other setting, and no secret. */
const passedOn = [
  ...["PATH", "HOME", "TZ", "TMPDIR", "TEMP", "TMP", "SystemRoot"],
  ...["NODE_COMPILE_CACHE", "NODE_COMPILE_CACHE_PORTABLE"],
];

/** Gives the order to a new process, and waits until that has ended. */
export async function runChild(order: Order, options: RenderOptions): Promise<RenderedFiles> {
  const starveMs = usualStarveMs[order.job.priority ?? "low"];
  const limits: Limits = { ...usualLimits, starveMs, ...options };
  const child = start(limits.memoryMb);
  const outcome = new Outcome(child, limits, options);
  const abort = () => outcome.end(options.signal.reason);
  options.signal.addEventListener("abort", abort, { once: true });
  // A signal that was aborted while the folder was made does not fire again.
  if (options.signal.aborted) abort();
  try {
    child.send(order, () => {
      // A child that cannot be told ends, and says why in its own way.
    });
    return await outcome.files;
  } finally {
    options.signal.removeEventListener("abort", abort);
  }
}

function start(memoryMb: number): ChildProcess {
  return fork(shipped("./video-process.ts", import.meta.url), {
    execArgv: [
      `--max-old-space-size=${Math.floor(memoryMb * heapShare)}`,
      "--disable-warning=ExperimentalWarning",
    ],
    env: Object.fromEntries(
      passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

type Limits = Required<Pick<RenderOptions, "memoryMb" | "cpuMs" | "stallMs" | "starveMs" | "readCpuMs">>;

/** The end of a child. Settles once, and only after the process has ended: nothing writes its files after that. */
class Outcome {
  readonly #settled = Promise.withResolvers<RenderedFiles>();
  readonly #child: ChildProcess;
  readonly #limits: Limits;
  readonly #options: RenderOptions;
  readonly #watchdog: NodeJS.Timeout;
  readonly #startMs = performance.now();
  /** The processor time that it had when it last reported progress. */
  #reportedCpuMs = 0;
  #reportedAtMs = this.#startMs;
  #files: RenderedFiles | undefined;
  #problem: { error: unknown } | undefined;
  #errorOutput = "";
  #isOpen = true;

  constructor(child: ChildProcess, limits: Limits, options: RenderOptions) {
    this.#child = child;
    this.#limits = limits;
    this.#options = options;
    this.#watchdog = setTimeout(() => void this.#look(), Math.min(lookEveryMs, limits.stallMs));
    child.on("message", (report: Report) => this.#heard(report));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-keptErrorLength);
    });
    child.once("error", (error) => this.end(cannotStart(error)));
    child.once("close", (code, signal) => this.#closed(code, signal));
  }

  get files(): Promise<RenderedFiles> {
    return this.#settled.promise;
  }

  /** The first problem counts. */
  end(error: unknown): void {
    this.#problem ??= { error };
    this.#child.kill("SIGKILL");
    // A process that never started does not close.
    if (this.#child.pid === undefined) this.#closed(null, null);
  }

  #heard(report: Report): void {
    this.#watchdog.refresh();
    if (report.kind === "done") this.#files = report.files;
    else if (report.kind === "failed") this.#problem ??= { error: failureOf(report.failure, report.message) };
    else this.#progressed(report);
  }

  #progressed({ share, memoryBytes, cpuMs }: Extract<Report, { kind: "progress" }>): void {
    this.#reportedCpuMs = cpuMs;
    this.#reportedAtMs = performance.now();
    if (memoryBytes > this.#limits.memoryMb * 1024 * 1024) this.end(outOfMemory(this.#limits.memoryMb));
    this.#judge(cpuMs);
    if (this.#problem === undefined) this.#options.onProgress?.(share);
  }

  /** It has been silent for a while: because it makes no progress, or because it does not get to run. */
  async #look(): Promise<void> {
    if (this.#files !== undefined) this.#child.kill("SIGKILL");
    const reportedAtMs = this.#reportedAtMs;
    const cpuMs = await this.#limits.readCpuMs(this.#child.pid ?? 0);
    if (!this.#isOpen) return;
    // Where it is not known, as if the process had run all the time.
    if (reportedAtMs === this.#reportedAtMs)
      this.#judge(cpuMs ?? this.#reportedCpuMs + performance.now() - reportedAtMs);
    this.#watchdog.refresh();
  }

  #judge(cpuMs: number): void {
    const { stallMs, starveMs, cpuMs: maxCpuMs } = this.#limits;
    const lackedMs = performance.now() - this.#startMs - cpuMs;
    if (cpuMs - this.#reportedCpuMs >= stallMs) this.end(stalled(stallMs));
    else if (cpuMs > maxCpuMs) this.end(tooLong(maxCpuMs));
    else if (lackedMs > starveMs + cpuMs) this.end(starved());
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): void {
    clearTimeout(this.#watchdog);
    this.#isOpen = false;
    if (this.#problem !== undefined) this.#settled.reject(this.#problem.error);
    else if (this.#files !== undefined) this.#settled.resolve(this.#files);
    else this.#settled.reject(this.#unexpectedEnd(code, signal));
  }

  #unexpectedEnd(code: number | null, signal: NodeJS.Signals | null): RenderError {
    if (/heap out of memory|Array buffer allocation failed|Cannot enlarge memory/.test(this.#errorOutput)) {
      return outOfMemory(this.#limits.memoryMb);
    }
    if (signal !== null) {
      return new RenderError("killed", `The process that rendered the video was ended by ${signal}.`);
    }
    const message = `The process that rendered the video ended with exit code ${code}.`;
    return new RenderError("failed", message, { cause: this.#errorOutput.trim() });
  }
}

function failureOf(failure: RenderFailure, message: string): RenderError {
  const sentences: Partial<Record<RenderFailure, string>> = {
    disk_full: "No space was left on the disk for the video.",
    timeline_unreadable: "The timeline of the run cannot be read.",
  };
  const sentence = sentences[failure] ?? "The video could not be rendered.";
  return new RenderError(failure, sentence, { cause: message });
}

function outOfMemory(memoryMb: number): RenderError {
  return new RenderError("out_of_memory", `Rendering the video needed more than ${memoryMb} MB of memory.`);
}

function stalled(stallMs: number): RenderError {
  const seconds = Math.round(stallMs / 1000);
  return new RenderError(
    "stalled",
    `Rendering the video made no progress in ${seconds} seconds of processor time.`,
  );
}

function tooLong(cpuMs: number): RenderError {
  const minutes = Math.round(cpuMs / minuteMs);
  return new RenderError(
    "too_long",
    `Rendering the video needs more than ${minutes} minutes of processor time.`,
  );
}

function starved(): RenderError {
  return new RenderError("starved", "The machine was too busy to render the video.");
}

function cannotStart(error: Error): RenderError {
  return new RenderError("failed", "The process that renders the video could not be started.", {
    cause: error,
  });
}
