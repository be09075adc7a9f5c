import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { test } from "vitest";
import { newDisk, ScriptedComputer } from "../../test/support/scripted-computer.ts";
import type { CallOutcome } from "../computer.ts";
import { ComputerElsewhereError, ComputerUnreachableError } from "../errors.ts";
import { createMachines } from "./machines.ts";

/** `npm run test:computer-kills` cuts at more points. */
const numRuns = Number(process.env.KILLS ?? 20);
const seed = Number(process.env.KILLS_SEED ?? Date.now() % 2 ** 31);
const never = new AbortController().signal;
const callCount = 4;

/**
 * The frame, counted from the previous fault, at which the fault happens, and the process that the computer then connects to.
 * A computer that is restored, or that dies with the platform, has the disk that it had before its connection.
 */
const fault = fc.record({
  afterFrames: fc.nat({ max: 7 }),
  kind: fc.constantFrom(
    ...(["cut", "computer dies", "computer is restored", "platform dies", "both die"] as const),
  ),
  next: fc.nat({ max: 1 }),
});

/** The second call is lost with its first connection, executed on the next one, and forgotten with that one. */
const lostThenForgotten = [
  { afterFrames: 4, kind: "cut" as const, next: 0 },
  { afterFrames: 4, kind: "computer is restored" as const, next: 0 },
];

test(`no call has its effect twice, and each ends, wherever a connection is cut or a side is killed (seed ${seed})`, async (t) => {
  const { db } = await openTestStore(t);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async (faults) => {
      const [projectId, agentId, computerId] = [`prj_${++round}`, `agt_${round}`, `cmp_${round}`];
      const key = { projectId, computerId };
      const owner = { projectId, agentId, kind: "dedicated", os: "linux" } as const;
      const timings = { lookEveryMs: 2, waitMs: 60_000, renewEveryMs: 5 };
      const start = () => createMachines({ db, clock: systemClock, log: silentLogger, timings });
      const platforms = [start(), start()];
      const platformAt = (index: number) => platforms[index] ?? assert.fail();
      const { kind, os } = owner;
      const created = {
        _id: computerId,
        projectId,
        agentId,
        kind,
        os,
        name: "",
        createdAt: new Date(0),
      };
      await platformAt(0).store.create(created);

      const disk = newDisk();
      const left = [...faults];
      let isOver = false;
      const serveComputer = async (): Promise<void> => {
        for (let at = 0, peer = newPeer(); !isOver; ) {
          const next = left.shift();
          let frames = 0;
          const { effects: _, ...backup } = structuredClone(disk);
          peer.onFrame = () => next !== undefined && frames++ === next.afterFrames;
          await peer.connect(platformAt(at), key, ending());
          if (next === undefined) continue;
          if (next.kind !== "cut" && next.kind !== "platform dies") {
            peer.isDead = true;
            if (next.kind !== "computer dies") Object.assign(disk, backup);
            peer = newPeer();
          }
          if (next.kind === "platform dies" || next.kind === "both die") {
            void platformAt(at).close();
            platforms[at] = start();
          }
          at = next.next;
          await setImmediate();
        }
      };
      const newPeer = () => new ScriptedComputer(async () => ({ case: "resultJson", value: "1" }), disk);
      let current = new AbortController();
      const ending = () => {
        current = new AbortController();
        return current;
      };

      /** A run: each of its drivers asks for the same calls, with a higher epoch after each take-over. */
      const run = async (): Promise<CallOutcome[]> => {
        const outcomes: CallOutcome[] = [];
        let sentSince: number | undefined;
        for (let index = 0, epoch = 1, at = 0; index < callCount; ) {
          try {
            const computer = await platformAt(at).open(owner, epoch);
            const id = `call_${index}`;
            const since = sentSince === undefined ? {} : { sentSince };
            sentSince ??= computer.connection;
            const call = { id, name: "shell__run_command", args: {}, epoch, ...since };
            outcomes.push(await computer.execute(call, () => undefined, never));
            sentSince = undefined;
            index += 1;
          } catch (error) {
            const isExpected =
              error instanceof ComputerElsewhereError || error instanceof ComputerUnreachableError;
            if (!isExpected) throw error;
            at = 1 - at;
            epoch += 1;
            await setImmediate();
          }
        }
        return outcomes;
      };

      const serving = serveComputer();
      const outcomes = await run();
      isOver = true;
      current.abort();
      await serving;
      await Promise.all(platforms.map((platform) => platform.close()));
      for (const [id, count] of disk.effects) assert.equal(count, 1, id);
      outcomes.forEach((outcome, index) => {
        if ("result" in outcome) assert.equal(disk.effects.get(`${agentId} call_${index}`), 1);
        else assert.deepEqual(outcome, { unknown: true });
      });
    }),
    { numRuns, seed, examples: [[lostThenForgotten]] },
  );
});
