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

/** Runs `npm test` on fixtures. Only those that hang are killed early: the others get time for a busy machine. */
function runFixtures(...names: string[]): Promise<Run> {
  const stallMs = names.some((name) => name.startsWith("endless")) ? 10_000 : 120_000;
  const times = ["--stall-ms", String(stallMs), "--progress-ms", "1000"];
  const args = [runner, "--config", config, ...times, ...names.map((name) => `fixtures/${name}`)];
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

  test.concurrent("npm test fails for each file that leaves a rejection, a server, a socket or a thread, or has no test, and says where", async () => {
    const names = ["late-rejection", "open-server", "open-socket", "open-thread", "no-test"];
    const { code, output, lastLine } = await runFixtures(...names);
    assert.deepEqual([code, lastLine], [1, "4 passed, 5 failed"], output);
    assert.match(output, /nobody waited for me/);
    assert.match(output, /late-rejection\.fixture\.ts/);
    assert.match(output, /FAIL .*open-server\.fixture\.ts/);
    assert.match(output, /server listening on 127\.0\.0\.1:\d+ \(opened .*open-server\.fixture\.ts:6/);
    assert.match(output, /socket from port \d+ to 127\.0\.0\.1:\d+ \(opened .*open-socket\.fixture\.ts:10/);
    assert.match(output, /worker thread \d+ \(opened .*open-thread\.fixture\.ts:6/);
    assert.match(output, /No test suite found in file .*no-test\.fixture\.ts/);
  });

  test.concurrent("npm test shows its progress, ends a synchronous endless loop and names its file", async () => {
    const { code, output, lastLine } = await runFixtures("endless-loop");
    assert.deepEqual([code, lastLine], [1, "0 passed, 1 failed"], output);
    assert.match(
      output,
      /tests: 0 of 1 files in \d+ s; slowest running: .*endless-loop\.fixture\.ts, \d+ s\n/,
    );
    assert.match(output, /No progress within 10 s:\n {2}scripts\/test\/fixtures\/endless-loop\.fixture\.ts/);
  });

  test.concurrent("npm test ends a file whose import never ends and names it", async () => {
    const { code, output, lastLine } = await runFixtures("endless-import");
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

  test.concurrent("npm test fails if no file matches", async () => {
    const { code, output, lastLine } = await runFixtures("nothing-of-this-name");
    assert.deepEqual([code, lastLine], [1, "0 passed, 0 failed"], output);
    assert.match(output, /No test ran/);
  });
});
