import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = join(import.meta.dirname, "../..");

/**
 * Files and folders that measure the memory, the processor time or the exceptions of their process, which must therefore run nothing
 * else, that replace parts of Node in it for good, or whose tests run in processes that they start.
 */
const alone = existing([
  "deploy/compose",
  "deploy/local/src/error-free-stream.test.ts",
  "deploy/local/test/full-disk.test.ts",
  "deploy/processes",
  "packages/computers/src/sandbox/escapes.test.ts",
  "packages/embedded-store/src/storage/disk-reserve.test.ts",
  "packages/storage/src/images/image-scaler.test.ts",
  "services/agents/src/definition/checker.test.ts",
  "services/gateway/src/auth/authenticator.test.ts",
  "services/gateway/src/gateway.file-memory.test.ts",
  "packages/engine/src/steps/loop-guard.test.ts",
  "packages/engine/src/steps/text-memory.test.ts",
]);

/**
 * Files that take 15 s or more on two processors, the longest first. They begin first: one that began last would run while
 * the other processes have nothing left to do. A wrong place costs time, and nothing else. Those that start a dozen
 * processes are apart, so that they do not all start at once.
 */
const slowest = existing([
  "deploy/processes/src/topology.test.ts",
  "packages/engine/src/engine.properties.test.ts",
  "packages/computers/src/sandbox/escapes.test.ts",
  "deploy/local/src/start-problems.test.ts",
  "services/gateway/src/recording-page.browser.test.ts",
  "packages/video/src/child/render-video.test.ts",
  "deploy/local/src/main.test.ts",
  "deploy/processes/src/idempotency.test.ts",
  "packages/computers/src/sandbox/calls.test.ts",
  "deploy/local/test/workforce/recordings.test.ts",
  "services/sessions/test/cuts.test.ts",
  "deploy/local/test/workforce/handover.test.ts",
  "deploy/local/test/without-a-key/page.test.ts",
  "services/sessions/test/adoption-edges.test.ts",
  "deploy/processes/src/outages/outages.test.ts",
  "deploy/local/test/burst.test.ts",
  "deploy/local/test/workforce/http.test.ts",
  "packages/video/src/child/playback.test.ts",
  "services/sessions/test/history.test.ts",
  "deploy/local/test/workforce/files.test.ts",
  "deploy/local/test/workforce/fleet.test.ts",
  "deploy/compose/test/local-cluster.test.ts",
  "deploy/local/test/workforce/kills.test.ts",
  "deploy/local/test/workforce/failures.test.ts",
  "services/gateway/src/gateway.revocation.test.ts",
  "deploy/local/src/authorisation.test.ts",
  "deploy/local/src/compiled-code.test.ts",
  "deploy/local/src/measured-turns.test.ts",
  "deploy/processes/src/start.test.ts",
  "services/sessions/test/locking.test.ts",
  "deploy/local/test/workforce/runs.test.ts",
  "deploy/local/test/workforce/recorder.test.ts",
  "services/sessions/test/kills/kills.test.ts",
  "services/sessions/test/kills/workforce-kills.test.ts",
  "packages/video/src/child/fidelity.test.ts",
  "deploy/processes/src/scaling.test.ts",
  "deploy/local/test/store-outages.test.ts",
  "services/gateway/src/gateway.recordings.test.ts",
  "services/gateway/src/gateway.tokens.test.ts",
  "services/gateway/src/gateway.workforce.test.ts",
  "services/sessions/test/adoption.test.ts",
  "deploy/local/src/browser-chat.test.ts",
  "packages/language/src/definitions.properties.test.ts",
  "deploy/local/test/cli/recordings.test.ts",
  "services/workforce/src/dispatch/interleavings.test.ts",
  "services/sessions/test/files.test.ts",
  "services/auth/src/federation.test.ts",
  "services/gateway/src/gateway.files.test.ts",
  "packages/computers/src/sandbox/crashes.test.ts",
  "deploy/local/test/cli/workforce.test.ts",
  "services/sessions/test/execution-log.test.ts",
  "scripts/test/runner.test.ts",
  "services/sessions/test/start-kill.test.ts",
  "services/sessions/test/workforce-usage.test.ts",
]);

/** Patterns of the files that share their process with no other. */
export const ownProcess = alone.map((path) =>
  path.includes(".test.") ? path : `${path}/**/*.test.{ts,mjs}`,
);

/** Fails at a path that was renamed, which would otherwise silently lose its place. */
function existing(paths: readonly string[]): readonly string[] {
  const missing = paths.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined)
    throw new Error(`scripts/test/groups.ts names a test that does not exist: ${missing}`);
  return paths;
}

const places = new Map(slowest.map((path, place) => [join(root, path), place]));

/** The slowest files, then those with a process of their own, then the others as Vitest orders them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  return places.get(moduleId) ?? slowest.length + (project.config.isolate ? 0 : 1);
}
