import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "@muster/testing";
import { describe, test } from "vitest";

const runner = join(import.meta.dirname, "../test.mjs");
const config = join(import.meta.dirname, "fixtures/vitest.config.ts");

interface Run {
  code: number | null;
  /** Standard output and error, without colours. */
  output: string;
  lastLine: string | undefined;
}

/** Runs `npm test` on fixtures. Only those that hang are killed early: `stallMs` is patient with a busy machine. */
function runFixtures(filter: string, stallMs = 120_000): Promise<Run> {
  const times = ["--stall-ms", String(stallMs), "--progress-ms", "1000"];
  const args = [runner, "--config", config, ...times, `fixtures/${filter}`];
  const env = { ...process.env, NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_error, stdout, stderr) => {
      resolve({
        code: child.exitCode,
        output: stdout + stderr,
        lastLine: stdout.trimEnd().split("\n").at(-1),
      });
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the test runner", () => {
  test.concurrent("npm test passes sound files and counts skipped tests on its last line", async () => {
    const { code, output, lastLine } = await runFixtures("sound");
    assert.deepEqual([code, lastLine], [0, "4 passed, 0 failed, 1 skipped"], output);
  });

  test.concurrent("npm test fails if a promise is rejected after the last test of a file", async () => {
    const { code, output, lastLine } = await runFixtures("late-rejection");
    assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed"], output);
    assert.match(output, /nobody waited for me/);
    assert.match(output, /late-rejection\.fixture\.ts/);
  });

  test.concurrent("npm test fails if a server stays open, and says where it was opened", async () => {
    const { code, output, lastLine } = await runFixtures("open-server");
    assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed"], output);
    assert.match(output, /FAIL .*open-server\.fixture\.ts/);
    assert.match(output, /server listening on 127\.0\.0\.1:\d+ \(opened .*open-server\.fixture\.ts:6/);
  });

  test.concurrent("npm test fails if a socket stays open, and says where it was opened", async () => {
    const { code, output, lastLine } = await runFixtures("open-socket");
    assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed"], output);
    assert.match(output, /socket from port \d+ to 127\.0\.0\.1:\d+ \(opened .*open-socket\.fixture\.ts:10/);
  });

  test.concurrent("npm test fails if a worker thread stays open, and says where it was opened", async () => {
    const { code, output, lastLine } = await runFixtures("open-thread");
    assert.deepEqual([code, lastLine], [1, "1 passed, 1 failed"], output);
    assert.match(output, /worker thread \d+ \(opened .*open-thread\.fixture\.ts:6/);
  });

  test.concurrent("npm test shows its progress, ends a synchronous endless loop and names its file", async () => {
    const { code, output, lastLine } = await runFixtures("endless-loop", 10_000);
    assert.deepEqual([code, lastLine], [1, "0 passed, 1 failed"], output);
    assert.match(
      output,
      /tests: 0 of 1 files in \d+ s; slowest running: .*endless-loop\.fixture\.ts, \d+ s\n/,
    );
    assert.match(output, /No progress within 10 s:\n {2}scripts\/test\/fixtures\/endless-loop\.fixture\.ts/);
  });

  test.concurrent("npm test ends a file whose import never ends and names it", async () => {
    const { code, output, lastLine } = await runFixtures("endless-import", 10_000);
    assert.deepEqual([code, lastLine], [1, "0 passed, 1 failed"], output);
    assert.match(
      output,
      /No progress within 10 s:\n {2}scripts\/test\/fixtures\/endless-import\.fixture\.ts/,
    );
  });

  test.concurrent("the reason of a failure is printed at once; processes that tests started end with a runner that is killed", async (t) => {
    const args = [runner, "--config", config, "fixtures/endless-child"];
    const killed = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    t.onTestFinished(() => {
      killed.kill("SIGKILL");
    });
    let output = "";
    for (const stream of [killed.stdout, killed.stderr]) {
      stream.on("data", (chunk) => {
        output += String(chunk);
      });
    }
    const pids = () => /child (\d+) of (\d+)/.exec(output)?.slice(1).map(Number) ?? [];
    await until("the test has started its process", () => pids().length === 2);
    await until("the reason is printed", () => /FAIL .*endless-child.*\n.*reported at once/.test(output));
    killed.kill("SIGKILL");
    await until("both have ended", () => !pids().some(isRunning));
  });

  test.concurrent("npm test fails if a file contains no test", async () => {
    const { code, output, lastLine } = await runFixtures("no-test");
    assert.deepEqual([code, lastLine], [1, "0 passed, 1 failed"], output);
    assert.match(output, /No test suite found in file .*no-test\.fixture\.ts/);
  });

  test.concurrent("npm test fails if no file matches", async () => {
    const { code, output, lastLine } = await runFixtures("nothing-of-this-name");
    assert.deepEqual([code, lastLine], [1, "0 passed, 0 failed"], output);
    assert.match(output, /No test ran/);
  });
});
