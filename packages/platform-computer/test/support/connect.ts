import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import { connectComputer } from "../../src/connect-computer.ts";
import { type ConnectArguments, readConnectOptions } from "../../src/read-connect-options.ts";
import type { Terminal } from "../../src/terminal/terminal.ts";
import { type Platform, startPlatform } from "./platform.ts";

export interface Connected {
  platform: Platform;
  home: string;
  dir: string;
  lines: string[];
  /** Ends with the error of the connection, if it has one. */
  ended: Promise<Error | undefined>;
  stop(): void;
}

/** Connects this process to a platform of the test. */
export async function connect(
  t: TestScope,
  given: ConnectArguments & {
    home?: string;
    platform?: Platform;
    ask?: Terminal["ask"];
    approveMs?: number;
    env?: Record<string, string>;
  } = {},
): Promise<Connected> {
  const platform = given.platform ?? (await startPlatform(t));
  const home = given.home ?? (await realpath(await temporaryDirectory(t)));
  const dir = join(home, "work");
  await mkdir(dir, { recursive: true });
  const lines: string[] = [];
  const stopping = new AbortController();
  const fixed = { url: platform.url, token: "svc_cmp_test", dir, state: join(home, "state") };
  const options = await readConnectOptions(
    { ...fixed, ...given },
    { PATH: process.env.PATH, HOME: home, ...given.env },
    home,
  );
  const terminal = { line: (text: string) => void lines.push(text), ask: given.ask, close() {} };
  const { approveMs = 600_000 } = given;
  const timing = { pingMs: 50, silentMs: 20_000, backoffMs: [5, 50], approveMs } as const;
  const ended = connectComputer(options, terminal, stopping.signal, timing).then(
    () => undefined,
    (error: Error) => error,
  );
  const stop = () => stopping.abort();
  t.onTestFinished(async () => {
    stop();
    await ended;
  });
  return { platform, home, dir, lines, ended, stop };
}
