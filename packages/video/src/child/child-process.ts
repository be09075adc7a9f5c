import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { RenderedFiles, RenderOptions } from "./job.ts";
import type { Order, Report } from "./messages.ts";
import { RenderError, type RenderFailure } from "./render-error.ts";

const usualMemoryMb = 700;
const usualStallMs = 60_000;
/** Of the memory, what JavaScript may use; the encoder and the picture live outside its heap. */
const heapShare = 0.5;
const keptErrorLength = 4000;
/** The child needs no other setting, and no secret. */
const passedOn = ["PATH", "HOME", "TZ", "TMPDIR", "TEMP", "TMP", "SystemRoot", "NODE_COMPILE_CACHE"];

/** Gives the order to a new process, and waits until that has ended. */
export async function runChild(order: Order, options: RenderOptions): Promise<RenderedFiles> {
  const limits = { memoryMb: options.memoryMb ?? usualMemoryMb, stallMs: options.stallMs ?? usualStallMs };
  const child = start(limits.memoryMb);
  const outcome = new Outcome(child, limits, options);
  const abort = () => outcome.end(options.signal.reason);
  options.signal.addEventListener("abort", abort, { once: true });
  // A signal that was aborted while the folder was made does not say so again.
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
  return fork(join(import.meta.dirname, "main.ts"), {
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

/** What becomes of a child. Settles once, and only after the process has ended: then nothing writes its files any more. */
class Outcome {
  readonly #settled = Promise.withResolvers<RenderedFiles>();
  readonly #child: ChildProcess;
  readonly #limits: { memoryMb: number; stallMs: number };
  readonly #options: RenderOptions;
  readonly #watchdog: NodeJS.Timeout;
  #files: RenderedFiles | undefined;
  #problem: { error: unknown } | undefined;
  #errorOutput = "";

  constructor(child: ChildProcess, limits: { memoryMb: number; stallMs: number }, options: RenderOptions) {
    this.#child = child;
    this.#limits = limits;
    this.#options = options;
    const seconds = Math.round(limits.stallMs / 1000);
    const stalled = new RenderError(
      "stalled",
      `Rendering the video made no progress for ${seconds} seconds.`,
    );
    this.#watchdog = setTimeout(() => this.end(stalled), limits.stallMs);
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
    else this.#progressed(report.share, report.memoryBytes);
  }

  #progressed(share: number, memoryBytes: number): void {
    if (memoryBytes > this.#limits.memoryMb * 1024 * 1024) this.end(outOfMemory(this.#limits.memoryMb));
    else if (this.#problem === undefined) this.#options.onProgress?.(share);
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): void {
    clearTimeout(this.#watchdog);
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

function cannotStart(error: Error): RenderError {
  return new RenderError("failed", "The process that renders the video could not be started.", {
    cause: error,
  });
}
