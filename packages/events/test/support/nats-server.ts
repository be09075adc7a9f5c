import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, type TestScope } from "@muster/testing";

/** A real `nats-server` with JetStream on its own port, for tests that stop and start it. */
export interface TestNatsServer {
  readonly url: string;
  readonly port: number;
  /** Starts it (again), on the same port and with the same data. */
  start(extraArguments?: readonly string[]): Promise<void>;
  /** `SIGKILL` by default: an outage, not a farewell. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Deletes its data; only while it is stopped. */
  wipe(): Promise<void>;
}

/** For failures only: patient with a busy machine. */
const startWithinMs = 60_000;

/** Starts a server; it is stopped and its data deleted after the test. */
export async function startNatsServer(
  t: TestScope,
  options: { jetStream?: boolean } = {},
): Promise<TestNatsServer> {
  const directory = await mkdtemp(join(tmpdir(), "muster-nats-"));
  const port = await freePort();
  const jetStream = options.jetStream === false ? [] : ["--jetstream", "--store_dir", directory];
  let child: ChildProcess | undefined;
  const server: TestNatsServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    start: async (extraArguments = []) => {
      child = spawn(
        "nats-server",
        ["--addr", "127.0.0.1", "--port", String(port), ...jetStream, ...extraArguments],
        {
          stdio: "ignore",
        },
      );
      await untilListening(child, port);
    },
    stop: async (signal = "SIGKILL") => {
      const running = child;
      child = undefined;
      if (running === undefined || running.exitCode !== null) return;
      const exited = once(running, "exit");
      running.kill(signal);
      await exited;
    },
    wipe: () => rm(directory, { recursive: true, force: true }),
  };
  t.onTestFinished(async () => {
    await server.stop();
    await server.wipe();
  });
  await server.start();
  return server;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  let problem: Error | undefined;
  child.once("error", (error) => {
    problem = new Error(
      `nats-server cannot be started (${error.message}); \`npm test\` installs it or explains how`,
    );
  });
  child.once("exit", (code) => {
    problem ??= new Error(`nats-server ended with ${code}`);
  });
  const deadline = Date.now() + startWithinMs;
  while (!(await accepts(port))) {
    if (problem) throw problem;
    if (Date.now() > deadline) throw new Error(`nats-server does not listen on port ${port}`);
    await delay(20);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
