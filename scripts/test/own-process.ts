import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Files and folders that measure the memory, the processor time or the exceptions of their process, which must therefore run nothing
 * else, that replace parts of Node in it for good, or whose tests run in processes that they start.
 */
const alone = existing([
  "deploy/compose",
  "deploy/local/test/error-free-stream.test.ts",
  "deploy/local/test/full-disk.test.ts",
  "deploy/processes",
  "packages/computers/src/bubblewrap/escapes.test.ts",
  "packages/computers/src/sandbox/escapes.test.ts",
  "packages/embedded-store/src/storage/disk-reserve.test.ts",
  "packages/mcp-client/test/hostile-servers.test.ts",
  "packages/storage/src/images/image-scaler.test.ts",
  "services/agents/src/definition/definition-checker.test.ts",
  "services/gateway/src/auth/authenticator.test.ts",
  "services/gateway/test/file-memory.test.ts",
  "packages/engine/src/steps/loop-guard.test.ts",
  "packages/engine/src/steps/text-memory.test.ts",
]);

/** Patterns of the files that share their process with no other. */
export const ownProcess = alone.map((path) =>
  path.includes(".test.") ? path : `${path}/**/*.test.{ts,mjs}`,
);

/** Fails at a path that was renamed, which would otherwise silently lose its place. */
function existing(paths: readonly string[]): readonly string[] {
  const missing = paths.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined)
    throw new Error(`scripts/test/own-process.ts names a test that does not exist: ${missing}`);
  return paths;
}
