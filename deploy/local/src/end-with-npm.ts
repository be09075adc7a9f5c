const checkEveryMs = 1_000;

/** Whether `npm start` in the repository has started this process. */
export function isStartedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event === "start" && env.npm_package_name === "muster";
}

/**
 * Stops this process, as SIGTERM does, once the `npm start` that started it has ended without passing a signal on, such as
 * after `kill -9`: otherwise it would keep the port and the data folder without anyone knowing. Started in any other
 * way, a process may outlive its parent.
 */
export function endWithNpm(env: NodeJS.ProcessEnv = process.env): void {
  if (!isStartedByNpm(env)) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, "SIGTERM");
  }, checkEveryMs).unref();
}
