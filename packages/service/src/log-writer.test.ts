import assert from "node:assert/strict";
import { onTestFinished, test, vi } from "vitest";
import { exitLimitMs, exitPatienceMs, type LogSink, LogWriter, maxWaitingLogBytes } from "./log-writer.ts";

type Failure = "ENOSPC" | "EAGAIN" | "EPIPE";

/** A file that accepts what the test allows, and a clock that only sleeping moves. */
class ScriptedSink implements LogSink {
  text = "";
  failure: Failure | undefined;
  /** The bytes that one write accepts at most. */
  maxCount = Number.POSITIVE_INFINITY;
  tries = 0;
  #nowMs = 0;

  writeSync(bytes: Uint8Array): number {
    this.tries++;
    if (this.failure) throw Object.assign(new Error(this.failure), { code: this.failure });
    const accepted = bytes.subarray(0, Math.min(bytes.length, this.maxCount));
    this.text += Buffer.from(accepted).toString("latin1");
    return accepted.length;
  }

  write(bytes: Uint8Array, done: (error: Error | null, count: number) => void): void {
    queueMicrotask(() => {
      let count: number;
      try {
        count = this.writeSync(bytes);
      } catch (error) {
        assert.ok(error instanceof Error);
        return done(error, 0);
      }
      done(null, count);
    });
  }

  sleepSync(ms: number): void {
    this.#nowMs += ms;
  }

  nowMs(): number {
    return this.#nowMs;
  }
}

function start() {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const sink = new ScriptedSink();
  return { sink, writer: new LogWriter(sink, (dropped) => `dropped ${dropped}\n`) };
}

/** Makes the writer try again, whatever it waits for. */
const retry = () => vi.advanceTimersByTimeAsync(1_000);

test("lines survive a full disk, and each arrives once, in order and whole", async () => {
  const { sink, writer } = start();
  writer.write("one\n");
  await retry();
  sink.failure = "ENOSPC";
  writer.write("two\nthree\n");
  await retry();
  writer.write("four\n");
  await retry();
  assert.equal(sink.text, "one\n");
  Object.assign(sink, { failure: undefined, maxCount: 3 });
  await retry();
  assert.equal(sink.text, "one\ntwo\nthree\nfour\n");
});

test("a line with their number replaces the lines that did not fit into memory while the disk was full", async () => {
  const { sink, writer } = start();
  sink.failure = "ENOSPC";
  const large = `${"x".repeat(maxWaitingLogBytes - 1)}\n`;
  writer.write(large);
  writer.write("lost\nlost too\n");
  writer.write("also lost\n");
  await retry();
  sink.failure = undefined;
  await retry();
  writer.write("next\n");
  await retry();
  assert.equal(sink.text.slice(large.length), "dropped 3\nnext\n");
  writer.write("more\n");
  await retry();
  assert.match(sink.text, /next\nmore\n$/);
});

test("a disk that is still full at the exit is tried once, and does not delay it", () => {
  for (const failure of ["ENOSPC", "EPIPE"] as const) {
    const { sink, writer } = start();
    sink.failure = "EAGAIN";
    writer.write("begun\n");
    writer.write("lost\n");
    Object.assign(sink, { failure, tries: 0 });
    writer.flushAtExit();
    assert.deepEqual([sink.tries, sink.nowMs()], [1, 0], failure);
  }
});

test("an exit waits for a reader that has stopped only for a while", async () => {
  const { sink, writer } = start();
  sink.failure = "EAGAIN";
  writer.write("line\n");
  await retry();
  writer.flushAtExit();
  assert.equal(sink.nowMs(), exitPatienceMs);
});

test("an exit writes everything to a reader that is slow, and ends if that takes too long", async () => {
  const { sink, writer } = start();
  sink.failure = "EAGAIN";
  writer.write("a slow reader\n");
  await retry();
  Object.assign(sink, { failure: undefined, maxCount: 1 });
  writer.flushAtExit();
  assert.equal(sink.text, "a slow reader\n");

  const endless = start();
  endless.sink.failure = "EAGAIN";
  endless.writer.write("x".repeat(1_000));
  await retry();
  Object.assign(endless.sink, { failure: undefined, maxCount: 1 });
  const writeSync = endless.sink.writeSync.bind(endless.sink);
  endless.sink.writeSync = (bytes) => {
    endless.sink.sleepSync(exitPatienceMs / 2);
    return writeSync(bytes);
  };
  endless.writer.flushAtExit();
  assert.equal(endless.sink.nowMs(), exitLimitMs);
});
