import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { sourceEnvironment, type TestScope, temporaryDirectory } from "@muster/testing";
import type { Platform } from "./platform.ts";

const bin = join(import.meta.dirname, "../../bin/muster-computer.mjs");
const token = "svc_cmp_test";

export interface ComputerOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  /** Node and the file that it runs. */
  command?: readonly [string, string];
  /** A folder that a test has already used. */
  home?: string;
}

/** A real `muster-computer` process. */
export async function startComputer(
  t: TestScope,
  { url }: Pick<Platform, "url">,
  options: ComputerOptions = {},
) {
  const home = options.home ?? (await realpath(await temporaryDirectory(t)));
  const dir = join(home, "work");
  await mkdir(dir, { recursive: true });
  const [node, file] = options.command ?? [process.execPath, bin];
  const child = spawn(
    node,
    [file, "connect", "--url", url, "--dir", dir, "--state", join(home, "state"), ...(options.args ?? [])],
    {
      env: { ...sourceEnvironment(), HOME: home, MUSTER_COMPUTER_TOKEN: token, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const ended = once(child, "close").then(([code]) => code);
  t.onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    ...{ child, dir, home, ended },
    printed: () => printed,
    /** Ends it without warning. */
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
