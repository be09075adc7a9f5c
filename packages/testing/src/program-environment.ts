/**
 * The part of this process's environment that Muster needs when a test starts it with `muster.mjs`. In a run of all tests it
 * runs the bundle, as for users, which takes less than half the processor time of a start from the sources.
 */
export function programEnvironment(): Record<string, string> {
  return process.env.TEST_BUNDLE ? { PATH: process.env.PATH ?? "" } : sourceEnvironment();
}

/**
 * The same for a program that runs from the sources: with the folder of compiled modules, without which each start of Muster
 * would spend two more seconds of processor time on types and compilation.
 */
export function sourceEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, MUSTER_SOURCES: "1", ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
