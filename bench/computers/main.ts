/** Measures the commands of agents' computers with both runtimes; see `bench/README.md`. */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Computer, createComputers } from "@muster/computers";
import { readComputersConfig } from "@muster/computers/config";
import { silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { median, print, printAtMost } from "../support/figures.ts";

const commands = 40;
const agentsAtOnce = 8;
const rounds = 5;
let calls = 0;
const never = new AbortController().signal;

const users = process.getuid?.() === 0 ? { SANDBOX_UIDS: "200000-200999" } : {};
/** `--only bubblewrap` or `--only simulated`. */
const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
if (only !== "bubblewrap") await measure("simulated", {});
if (only !== "simulated" && process.platform === "linux")
  await measure("bubblewrap", { COMPUTER_RUNTIME: "bubblewrap", ...users });

async function measure(runtime: string, settings: Record<string, string>): Promise<void> {
  const ends: (() => unknown)[] = [];
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  // The users of sandboxes pass through it.
  await chmod(directory, 0o711);
  ends.push(() => rm(directory, { recursive: true, force: true }));
  const { db } = await openTestStore({ onTestFinished: (end) => void ends.push(end) });
  const config = readComputersConfig({ DATA_DIR: directory, ...settings });
  const computers = createComputers({ db, config, clock: systemClock, log: silentLogger });
  ends.push(() => computers.close());
  await computers.check();
  const hold = async (agentId: string) => {
    const computer = await computers.open({ projectId: "p", agentId, kind: "sandbox", os: "linux" }, 1);
    await computer.start(never);
    return computer;
  };

  const one = await hold("one");
  await run(one, "true");
  const starts: number[] = [];
  for (let index = 0; index < commands; index++) starts.push((await run(one, "echo x")).firstMs);
  printAtMost(
    `${runtime}: from a call to its first output, median of ${commands}`,
    median(starts),
    150,
    "ms",
  );

  const many = await Promise.all(Array.from({ length: agentsAtOnce }, (_, index) => hold(`many_${index}`)));
  let failed = 0;
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) {
    const ended = await Promise.all(
      many.map((computer) => run(computer, "seq 1 1000 | sort -r | wc -l > f; cat f")),
    );
    failed += ended.filter(({ text }) => text.trim() !== "1000").length;
  }
  print({
    name: `${runtime}: failed calls of ${agentsAtOnce} agents at once, ${agentsAtOnce * rounds} in all`,
    values: [failed],
    note: `none, in ${((performance.now() - startMs) / 1_000).toFixed(1)} s`,
    isReached: failed === 0,
  });

  const large = await hold("large");
  for (let part = 0; part < 4; part++) await large.putFile(`f${part}`, randomBytes(50_000_000), never);
  // Once, after the agent has moved to another machine.
  const first = await run(large, "echo x");
  printAtMost(`${runtime}: the first command in a home of 200 MB`, first.totalMs, undefined, "ms");
  const withHome: number[] = [];
  const usage = process.resourceUsage();
  for (let index = 0; index < commands / 4; index++)
    withHome.push((await run(large, "echo x; : > touched")).totalMs);
  const writtenMb = ((process.resourceUsage().fsWrite - usage.fsWrite) * 512) / 1_000_000;
  const note = `${writtenMb.toFixed(0)} MB written by ${withHome.length} commands`;
  print({
    name: `${runtime}: each further one, median`,
    values: [`${median(withHome).toFixed(0)} ms`],
    note,
  });
  for (const end of ends.reverse()) await end();
}

async function run(computer: Computer, command: string) {
  const startMs = performance.now();
  let firstMs = Number.NaN;
  let text = "";
  const call = { id: `call_${++calls}`, name: "shell__run_command", args: { command }, epoch: 1 };
  const outcome = await computer.execute(
    call,
    (chunk) => {
      text += chunk.text;
      if (Number.isNaN(firstMs)) firstMs = performance.now() - startMs;
    },
    never,
  );
  if (!("result" in outcome)) throw new Error(JSON.stringify(outcome));
  return { text, firstMs, totalMs: performance.now() - startMs };
}
