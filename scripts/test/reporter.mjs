// Reports the progress of each file to the watchdog, which is the parent process.
export default class ProgressReporter {
  onInit() {
    // Without the watchdog, nothing would end a run that hangs, nor the processes that its tests started.
    process.on("disconnect", killOwnGroup);
    process.channel?.unref();
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
    send({ kind: "result", file: test.module.relativeModuleId, state: test.result().state });
  }

  onTestModuleEnd(module) {
    send({ kind: "ended", file: module.relativeModuleId, ok: module.ok() });
  }

  onTestRunEnd(_modules, unhandledErrors) {
    send({ kind: "finished", unhandledErrors: unhandledErrors.length });
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

function send(message) {
  process.send?.(message);
}
