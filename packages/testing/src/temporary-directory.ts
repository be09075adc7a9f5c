import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestScope } from "./scope.ts";

/** A new, empty folder that is removed after the test. */
export async function temporaryDirectory(t: TestScope): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "muster-test-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
