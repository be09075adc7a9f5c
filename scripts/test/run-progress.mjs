/** The progress reported so far, and the conclusions from it. */
export class RunProgress {
  #limits;
  #startedMs = performance.now();
  #files = 0;
  /** A report may arrive after its file's end. */
  #ended = new Set();
  /** The time of the first and of the last report about each running file. */
  #running = new Map();
  /** Files that have a failed test. */
  #failing = new Set();
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #problems = [];

  /** @param {{ stallMs: number, runMs: number }} limits */
  constructor(limits) {
    this.#limits = limits;
  }

  note({ kind, files, file, state, ok, unhandledErrors }) {
    if (kind === "started") {
      this.#files = files;
      this.#ended.clear();
    }
    if ((kind === "progress" || kind === "result") && !this.#ended.has(file)) {
      const heardMs = performance.now();
      this.#running.set(file, { startedMs: this.#running.get(file)?.startedMs ?? heardMs, heardMs });
    }
    if (kind === "result") {
      this.#counts[state] += 1;
      if (state === "failed") this.#failing.add(file);
    }
    if (kind === "ended") {
      this.#running.delete(file);
      this.#ended.add(file);
      // The file could not be loaded, contains no test, or a hook failed.
      if (!ok && !this.#failing.has(file)) this.#counts.failed += 1;
    }
    if (kind === "finished") this.#counts.failed += unhandledErrors;
  }

  /** One line on the whole run. */
  line() {
    const nowMs = performance.now();
    const sinceMs = (startedMs) => seconds(Math.round((nowMs - startedMs) / 1_000) * 1_000);
    const [slowest] = [...this.#running].sort(([, a], [, b]) => a.startedMs - b.startedMs);
    return [
      `tests: ${this.#ended.size} of ${this.#files} files in ${sinceMs(this.#startedMs)}`,
      ...(this.#counts.failed > 0 ? [`${this.#counts.failed} failed`] : []),
      ...(slowest ? [`slowest running: ${slowest[0]}, ${sinceMs(slowest[1].startedMs)}`] : []),
    ].join("; ");
  }

  /** Whether the run has to be killed. */
  hangs() {
    if (this.#problems.length > 0) return true;
    const nowMs = performance.now();
    const running = [...this.#running.keys()];
    const stalled = running.filter((file) => nowMs - this.#running.get(file).heardMs > this.#limits.stallMs);
    if (stalled.length > 0) this.#fail(`No progress within ${seconds(this.#limits.stallMs)}:`, stalled);
    else if (nowMs - this.#startedMs > this.#limits.runMs)
      this.#fail(`The tests did not end within ${seconds(this.#limits.runMs)}. Still running:`, running);
    return this.#problems.length > 0;
  }

  /** @param {number | null} exitCode of Vitest */
  outcome(exitCode) {
    const { passed, failed } = this.#counts;
    if (passed + failed === 0) this.#problems.push("No test ran");
    const success = exitCode === 0 && failed === 0 && this.#problems.length === 0;
    return { counts: this.#counts, problems: this.#problems, success };
  }

  #fail(problem, files) {
    this.#problems.push(problem, ...files.map((file) => `  ${file}`));
    this.#counts.failed += Math.max(1, files.length);
  }
}

function seconds(durationMs) {
  return `${durationMs / 1_000} s`;
}
