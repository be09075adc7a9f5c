/** The progress reported so far, and the conclusions from it. */
export class RunProgress {
  #limits;
  #startedMs = performance.now();
  /** The time of the last report about each running file. */
  #heardMs = new Map();
  /** Files that have a failed test. */
  #failing = new Set();
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #problems = [];

  /** @param {{ stallMs: number, runMs: number }} limits */
  constructor(limits) {
    this.#limits = limits;
  }

  note({ kind, file, state, ok, unhandledErrors }) {
    if (kind === "progress" || kind === "result") this.#heardMs.set(file, performance.now());
    if (kind === "result") {
      this.#counts[state] += 1;
      if (state === "failed") this.#failing.add(file);
    }
    if (kind === "ended") {
      this.#heardMs.delete(file);
      // The file could not be loaded, contains no test, or a hook failed.
      if (!ok && !this.#failing.has(file)) this.#counts.failed += 1;
    }
    if (kind === "finished") this.#counts.failed += unhandledErrors;
  }

  /** Whether the run has to be killed. */
  hangs() {
    if (this.#problems.length > 0) return true;
    const nowMs = performance.now();
    const running = [...this.#heardMs.keys()];
    const stalled = running.filter((file) => nowMs - this.#heardMs.get(file) > this.#limits.stallMs);
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
