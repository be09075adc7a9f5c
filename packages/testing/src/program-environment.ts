/**
 * The part of this process's environment that a program started by a test needs: its `PATH`, the folder of compiled
 * modules, without which each start of Muster would spend two more seconds of CPU time on types and compilation, and that the
 * sources run, not the bundle.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, MUSTER_SOURCES: "1", ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
