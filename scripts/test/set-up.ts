// Runs before each test file, most of which share a process with others. After the last test it waits, as Node does at
// the end of a program, until nothing of this file keeps the process alive: a late rejection still fails the run, and a
// resource that stays open fails the file. The next file finds the environment as this one did.
import { setTimeout as delay } from "node:timers/promises";
import { cleanUpFile } from "@muster/testing/suite";
import { afterAll, vi } from "vitest";
import { keepEnvironment } from "./environment.ts";
import { watchOpened } from "./open-resources.ts";

// Neither is set in production, and the processes that tests start would inherit them.
delete process.env.NODE_ENV;
delete process.env.TEST;
process.execArgv.length = 0;

/** Checks are counted and not time: on a busy machine, closing takes longer. */
const maxChecks = 1_000;
const listOpen = watchOpened();
const restoreEnvironment = keepEnvironment();

afterAll(async () => {
  await cleanUpFile();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  restoreEnvironment();
  let checksLeft = maxChecks;
  // Node reports a rejection only at the end of its turn. The timer must not keep the process alive itself.
  do await delay(10, undefined, { ref: false });
  while (listOpen().length > 0 && checksLeft-- > 0);
  const open = listOpen();
  if (open.length === 0) return;
  throw new Error(["This file leaves resources open after its last test:", ...open].join("\n  "));
});
