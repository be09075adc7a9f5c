import { type ShellProcess, startShellProcess } from "./start-shell-process.ts";

const spareLifeMs = 60_000;

export interface ProcessPoolOptions {
  maxMemoryBytes: number;
  keepsSpare: boolean;
}

export type ProcessPool = ReturnType<typeof createProcessPool>;

/**
 * Each command has a process of its own, so nothing of one agent is ever in the memory that another one's command sees. One process is
 * started in advance, and ends if it is not needed for a minute.
 */
export function createProcessPool({ maxMemoryBytes, keepsSpare }: ProcessPoolOptions) {
  const all = new Set<ShellProcess>();
  let spare: { shell: ShellProcess; timer: NodeJS.Timeout } | undefined;
  let closed = false;

  const start = (warmUp: boolean): ShellProcess => {
    const shell = startShellProcess({ maxMemoryBytes, warmUp });
    all.add(shell);
    void shell.ended.then(() => {
      all.delete(shell);
      if (spare?.shell === shell) dropSpare();
    });
    return shell;
  };
  const dropSpare = (): void => {
    if (spare === undefined) return;
    clearTimeout(spare.timer);
    spare.shell.kill("aborted");
    spare = undefined;
  };
  const takeSpare = (): ShellProcess | undefined => {
    if (spare === undefined) return undefined;
    clearTimeout(spare.timer);
    const { shell } = spare;
    spare = undefined;
    return shell;
  };
  const prepareSpare = (): void => {
    if (!keepsSpare || closed || spare !== undefined) return;
    const timer = setTimeout(dropSpare, spareLifeMs);
    timer.unref();
    spare = { shell: start(true), timer };
  };

  return {
    /** Starts a process in advance, unless there is one: the next command need not wait for it. */
    prepare: prepareSpare,
    /** Runs `work` with a process of its own, which is gone when it resolves. */
    async run<T>(work: (shell: ShellProcess) => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted();
      if (closed) throw new Error("the computers have been closed");
      const shell = takeSpare() ?? start(false);
      const abort = () => shell.kill("aborted");
      signal.addEventListener("abort", abort, { once: true });
      try {
        return await work(shell);
      } finally {
        signal.removeEventListener("abort", abort);
        shell.kill("aborted");
        await shell.ended;
        // Not before: a starting process would slow the command down.
        prepareSpare();
      }
    },
    /** Kills every process. */
    async close() {
      closed = true;
      dropSpare();
      const shells = [...all];
      for (const shell of shells) shell.kill("aborted");
      await Promise.all(shells.map((shell) => shell.ended));
    },
  };
}
