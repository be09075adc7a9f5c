/** The cost of a turn, a read and a rollback in conversations of different lengths; see `bench/README.md`. */
import { median, print, printAtMost } from "../support/figures.ts";
import { managed, startSessions } from "./sessions.ts";

const sizes = [20, 200, 2_000, 20_000];
const rounds = Number(process.argv[2] ?? 31);
/** Sessions of which the first turn is measured, and the messages of each that follow its summary. */
const [firstRounds, firstRecent] = [Math.min(rounds, 9), 20];

const sessions = await startSessions();
await measure(20);
const results: Record<string, number>[] = [];
for (const size of sizes) results.push(await measure(size));
print({ name: "", values: sizes.map(String) });
for (const name of Object.keys(results[0] ?? {}))
  print({ name, values: results.map((result) => result[name] ?? Number.NaN) });
const ours = results.map((result) => result["our part of it, CPU ms"] ?? Number.NaN);
const growth = (ours[2] ?? Number.NaN) / (ours[0] ?? Number.NaN);
printAtMost("our part with 2,000 messages", growth, 1.5, "times that with 20");
await compareManaged();
await compareManagedFirst();
await sessions.stop();
process.exit();

async function measure(size: number): Promise<Record<string, number>> {
  const creation = await medianOf(() => sessions.create());
  const sessionId = await sessions.create();
  await sessions.seed(sessionId, size);
  const heapBefore = heapMiB();
  const firstTurn = await cpuMsOf(() => sessions.turn(sessionId));
  const heap = heapMiB() - heapBefore;
  const turns: number[] = [];
  const calls: number[] = [];
  for (let round = 0; round < rounds; round++) {
    turns.push(await cpuMsOf(() => sessions.turn(sessionId)));
    const body: unknown = JSON.parse(await sessions.latestCall());
    calls.push(await cpuMsOf(() => sessions.callDirectly(body)));
  }
  const holds: number[] = [];
  for (let round = 0; round < rounds; round++)
    holds.push(await longestHoldMs(() => sessions.turn(sessionId)));
  const page = await medianOf(() => sessions.read(sessionId, 50));
  const read = await medianOf(() => sessions.read(sessionId));
  const rollbacks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const after: string = JSON.parse(`[${await sessions.read(sessionId, 6)}]`)[0].id;
    rollbacks.push(await cpuMsOf(() => sessions.turn(sessionId, after)));
  }
  return {
    "a turn, CPU ms": median(turns),
    "our part of it, CPU ms": median(turns) - median(calls),
    "longest hold of the loop in a turn, CPU ms": median(holds),
    "first turn on an instance, CPU ms": firstTurn,
    "a rollback and its turn, CPU ms": median(rollbacks),
    "reading the newest 50 messages, CPU ms": page,
    "reading all messages, CPU ms": read,
    "creating a session, CPU ms": creation,
    "kept in memory after a turn, MiB": heap,
  };
}

/** A session of 20 messages and one of 20,000 take turns, so that a busy moment slows both. */
async function compareManaged(): Promise<void> {
  const sides = [];
  for (const size of [20, 20_000]) {
    const sessionId = await sessions.create("agt_managed");
    await sessions.seed(sessionId, size);
    // Writes the summary, if one is needed.
    await sessions.turn(sessionId);
    sides.push({ sessionId, ours: [] as number[] });
  }
  let largestTokens = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { sessionId, ours } of sides) {
      const whole = await cpuMsOf(() => sessions.turn(sessionId));
      const text = await sessions.latestCall();
      const body: unknown = JSON.parse(text);
      ours.push(whole - (await cpuMsOf(() => sessions.callDirectly(body))));
      largestTokens = Math.max(largestTokens, Buffer.byteLength(text) / 4);
    }
  }
  const [few, many] = sides.map(({ ours }) => median(ours));
  printRatio("with contextManagement, our part with 20,000 messages", few, many, 1.6);
  const share = largestTokens / managed.localContextTokens;
  printAtMost("  its largest request", share, managed.threshold, "of the window");
}

/** First turns of sessions that no instance has in memory, which have a summary of all but the last messages. */
async function compareManagedFirst(): Promise<void> {
  const sides = [20, 20_000].map((size) => ({ size, spentMs: [] as number[] }));
  for (let round = 0; round < firstRounds; round++) {
    for (const { size, spentMs } of sides) {
      const sessionId = await sessions.create("agt_managed");
      await sessions.seed(sessionId, size, size - Math.min(size, firstRecent));
      spentMs.push(await cpuMsOf(() => sessions.turn(sessionId)));
    }
  }
  const [few, many] = sides.map(({ spentMs }) => median(spentMs));
  // A chunk is read as a whole; 20 messages are not in a chunk.
  printRatio("  its first turn on an instance with 20,000 messages", few, many, 2);
}

function printRatio(name: string, few = Number.NaN, many = Number.NaN, most: number): void {
  const unit = `times that with 20 (${many.toFixed(1)} and ${few.toFixed(1)} ms of CPU)`;
  print({ name, values: [many / few], note: `at most ${most} ${unit}`, isReached: many / few <= most });
}

async function medianOf(act: () => Promise<unknown>): Promise<number> {
  const spentMs: number[] = [];
  for (let round = 0; round < rounds; round++) spentMs.push(await cpuMsOf(act));
  return median(spentMs);
}

/** CPU time of the main thread: the store and the provider have their own. */
async function cpuMsOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The most CPU time that the main thread spent between two rounds of its timers. */
async function longestHoldMs(act: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const check = () => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(check, 1);
  await act();
  check();
  clearInterval(timer);
  return longestMs;
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
