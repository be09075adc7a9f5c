import { DefaultReporter } from "vitest/node";

/** The most files of a run in which each has a line. Of more, only those that fail are of interest. */
const mostListed = 10;

/**
 * Prints failures when they happen and again at the end, and reports the progress of each file to the watchdog, which is
 * the parent process.
 */
export default class Reporter extends DefaultReporter {
  #logger;
  #isShort = true;

  constructor() {
    super({ summary: false });
  }

  onInit(vitest) {
    super.onInit(vitest);
    this.#logger = vitest.logger;
    // Without the watchdog, nothing would end a run that hangs, nor the processes that its tests started.
    process.on("disconnect", killOwnGroup);
    process.channel?.unref();
  }

  onTestRunStart(specifications) {
    super.onTestRunStart(specifications);
    this.#isShort = specifications.length <= mostListed;
    send({ kind: "started", files: specifications.length });
  }

  onTestModuleQueued({ relativeModuleId: file }) {
    send({ kind: "progress", file });
  }

  onTestModuleCollected({ relativeModuleId: file }) {
    send({ kind: "progress", file });
  }

  onTestCaseReady({ module }) {
    send({ kind: "progress", file: module.relativeModuleId });
  }

  onHookStart({ entity }) {
    const { relativeModuleId: file } = entity.type === "module" ? entity : entity.module;
    send({ kind: "progress", file });
  }

  onTestCaseResult(test) {
    const { errors } = test.result();
    if (errors?.length > 0)
      this.#printFailure(test, `${test.module.relativeModuleId} > ${test.fullName}`, errors);
    send({ kind: "result", file: test.module.relativeModuleId, state: test.result().state });
  }

  onTestSuiteResult(suite) {
    this.#printFailure(suite, `${suite.module.relativeModuleId} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module) {
    this.#printFailure(module, module.relativeModuleId, module.errors());
    if (this.#isShort) this.printTestModule(module);
    send({ kind: "ended", file: module.relativeModuleId, ok: module.ok() });
  }

  onTestRunEnd(modules, unhandledErrors, reason) {
    super.onTestRunEnd(modules, unhandledErrors, reason);
    send({ kind: "finished", unhandledErrors: unhandledErrors.length });
  }

  #printFailure({ project }, name, errors) {
    if (errors.length > 0) this.#logger.error(`\nFAIL ${name}`);
    for (const error of errors) this.#logger.printError(error, { project });
  }
}

/** The watchdog makes this process the leader of its group. */
function killOwnGroup() {
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.exit(1);
  }
}

/** Without the callback, a message that fails because the watchdog was killed would end this process before its group. */
function send(message) {
  process.send?.(message, () => undefined);
}
