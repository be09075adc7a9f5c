import assert from "node:assert/strict";
import { ManualClock, silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import { newDisk, type Script, ScriptedComputer, type Sent } from "../../test/support/scripted-computer.ts";
import type { Computer } from "../computer.ts";
import {
  ComputerElsewhereError,
  ComputerFileError,
  ComputerUnreachableError,
  StaleEpochError,
} from "../errors.ts";
import { createMachines, type MachinesOptions } from "./machines.ts";

const never = new AbortController().signal;
const owner = {
  projectId: "prj_1",
  agentId: "agt_1",
  kind: "dedicated",
  os: "linux",
  agentName: "Lou",
} as const;
const key = { projectId: "prj_1", computerId: "cmp_1" };
const done: Script = async () => ({ case: "resultJson", value: '{"exitCode":0}' });
const forever: Script = () => Promise.withResolvers<never>().promise;
const call = (id: string, epoch = 1) => ({ id, name: "shell__run_command", args: { command: "x" }, epoch });

async function world(t: TestScope) {
  const { db } = await openTestStore(t);
  const another = (more: Partial<MachinesOptions> = {}) => {
    const timings = { lookEveryMs: 5, waitMs: 300, renewEveryMs: 20, ...more.timings };
    const machines = createMachines({ db, clock: systemClock, log: silentLogger, ...more, timings });
    t.onTestFinished(() => machines.close());
    return machines;
  };
  const machines = another();
  const { projectId, agentId, kind, os } = owner;
  const created = { _id: "cmp_1", projectId, agentId, kind, os, name: "Lou", createdAt: new Date(0) };
  await machines.store.create(created);
  return { machines, another };
}

async function connected(t: TestScope, script: Script = done) {
  const { machines, another } = await world(t);
  const peer = new ScriptedComputer(script);
  const link = new AbortController();
  const ended = peer.connect(machines, key, link);
  await until("the computer is connected", () => machines.connected === 1);
  return { machines, another, peer, link, ended, computer: await machines.open(owner, 1) };
}

const execute = (computer: Computer, id: string, epoch = 1) =>
  computer.execute(call(id, epoch), () => undefined, never);

describe("a computer that dials in", () => {
  test("executes a call, shows its output, and reports itself", async (t) => {
    const { computer } = await connected(t, async ({ argsJson, agentName }, output) => {
      output("hello\n");
      return { case: "resultJson", value: JSON.stringify([argsJson, agentName]) };
    });
    const shown: string[] = [];
    const outcome = await computer.execute(call("a"), ({ text }) => void shown.push(text), never);
    assert.deepEqual(outcome, { result: ['{"command":"x"}', "Lou"] });
    assert.deepEqual(shown, ["hello\n"]);
    assert.deepEqual(computer.info(), {
      ...{ kind: "dedicated", os: "linux", runtimeVersion: "1.2.3", imageVersion: null, region: null },
    });
    assert.deepEqual(
      computer.tools.map(({ name }) => name),
      ["shell__run_command"],
    );
  });

  test("takes, returns and refuses files, and has no snapshots", async (t) => {
    const { computer, peer } = await connected(t);
    const content = Buffer.alloc(700_000, "x");
    await computer.putFile("files/a.txt", content, never);
    assert.ok(content.equals(peer.disk.files.get("files/a.txt") ?? Buffer.alloc(0)));
    assert.equal(Buffer.compare(await computer.readFile("files/a.txt", never), content), 0);
    await assert.rejects(computer.readFile("b", never), { name: "ComputerFileError", isMissing: true });
    await assert.rejects(computer.snapshot(), ComputerFileError);
  });

  test("executes a call once if it is sent twice at once, or again after its outcome", async (t) => {
    const { computer, peer } = await connected(t);
    const both = await Promise.all([execute(computer, "a"), execute(computer, "a")]);
    assert.deepEqual([...both, await execute(computer, "a")], Array(3).fill({ result: { exitCode: 0 } }));
    assert.deepEqual([...peer.disk.effects], [["agt_1 a", 1]]);
  });

  test("is refused to an older run of its agent", async (t) => {
    const { computer, machines } = await connected(t);
    await machines.open(owner, 2);
    await assert.rejects(execute(computer, "a"), StaleEpochError);
    await assert.rejects(machines.open(owner, 1), StaleEpochError);
  });

  test("kills a command that is aborted, and the abort ends when nothing is left of it", async (t) => {
    const { computer, peer } = await connected(t, forever);
    const stop = new AbortController();
    const running = computer.execute(call("a"), () => undefined, stop.signal);
    await until("the command runs", () => peer.disk.effects.size === 1);
    stop.abort(new Error("cancelled"));
    await assert.rejects(running, /cancelled/);
    await computer.abort("a");
    assert.deepEqual(peer.disk.journal.get("agt_1 a"), { case: "aborted", value: true });
    assert.deepEqual(await execute(computer, "a"), { unknown: true });
  });

  test("continues a command over a cut connection, and fails it if it stays away", async (t) => {
    const release = Promise.withResolvers<void>();
    const { computer, machines, peer, link, ended } = await connected(t, async (...parts) => {
      await release.promise;
      return await done(...parts);
    });
    const running = execute(computer, "a");
    await until("the command runs", () => peer.disk.effects.size === 1);
    link.abort();
    await ended;
    const again = new AbortController();
    const second = peer.connect(machines, key, again);
    release.resolve();
    assert.deepEqual(await running, { result: { exitCode: 0 } });
    assert.equal(peer.disk.effects.get("agt_1 a"), 1);
    again.abort();
    await second;
    await assert.rejects(execute(computer, "b"), ComputerUnreachableError);
    await assert.rejects(machines.open(owner, 1), ComputerUnreachableError);
  });

  test("has one connection: the newer one wins, here and in another process, and calls go elsewhere with it", async (t) => {
    const { computer, machines, another, peer, ended } = await connected(t, forever);
    const running = execute(computer, "a");
    const handedOver = assert.rejects(running, ComputerElsewhereError);
    await until("the command runs", () => peer.disk.effects.size === 1);
    const other = another();
    const elsewhere = new ScriptedComputer(done, peer.disk);
    void elsewhere.connect(other, key);
    await ended;
    assert.deepEqual(
      peer.goodbyes.map(({ code }) => code),
      ["superseded"],
    );
    await handedOver;
    assert.equal(await machines.isElsewhere(owner), true);
    await assert.rejects(machines.open(owner, 1), ComputerElsewhereError);
    assert.deepEqual(await execute(await other.open(owner, 2), "a", 2), { unknown: true });
    assert.equal(peer.disk.effects.get("agt_1 a"), 1);
  });

  test("keeps its connection when an earlier one of its process arrives late, and gives it to another process", async (t) => {
    const { machines, another } = await world(t);
    const dialIn = (platform: typeof machines, processId: string, connection: number) => {
      const peer = new ScriptedComputer(done);
      peer.hello = { processId, connection };
      return { peer, ended: peer.connect(platform, key) };
    };
    const { peer } = dialIn(machines, "p", 2);
    await until("the computer is connected", () => machines.connected === 1);
    const late = dialIn(another(), "p", 1);
    await late.ended;
    assert.deepEqual([late.peer.goodbyes, peer.goodbyes, machines.connected], [[], [], 1]);
    const other = another();
    dialIn(other, "q", 1);
    await until("the other process has it", () => other.connected === 1 && peer.goodbyes.length === 1);
    assert.equal(peer.goodbyes[0]?.code, "superseded");
  });

  test("that returns in an older state, or as another machine, does not execute again what it was sent", async (t) => {
    const { computer, machines, peer, link, ended } = await connected(t, forever);
    link.abort();
    await ended;
    const older = newDisk();
    older.epoch = peer.disk.epoch;
    const again = new AbortController();
    const second = peer.connect(machines, key, again);
    await until("it is connected again", () => machines.connected === 1);
    const running = execute(computer, "a");
    await until("the command runs", () => peer.disk.effects.size === 1);
    again.abort();
    await second;
    void new ScriptedComputer(done, older).connect(machines, key);
    assert.deepEqual(await running, { unknown: true });
    assert.deepEqual([...older.effects], []);
  });

  test("that returns to another process in an older state does not execute again what a dead one may have sent", async (t) => {
    const { computer, machines, another, peer } = await connected(t, forever);
    void execute(computer, "a").catch(() => undefined);
    const { connection: sentSince } = computer;
    await until("the command runs", () => peer.disk.effects.size === 1);
    await machines.close();
    const older = newDisk();
    const other = another();
    const link = new AbortController();
    const ended = new ScriptedComputer(done, older).connect(other, key, link);
    await until("it is connected", () => other.connected === 1);
    const continued = { ...call("a", 2), sentSince };
    const taken = await other.open(owner, 2);
    assert.deepEqual(await taken.execute(continued, () => undefined, never), { unknown: true });
    link.abort();
    await ended;
    // A later connection, to a process that has not seen the one before.
    const third = another();
    void new ScriptedComputer(done, older).connect(third, key);
    await until("it is connected", () => third.connected === 1);
    const again = await third.open(owner, 3);
    const later = { ...continued, epoch: 3 };
    assert.deepEqual(await again.execute(later, () => undefined, never), { unknown: true });
    assert.deepEqual([...older.effects], []);
    assert.deepEqual(await execute(again, "b", 3), { result: { exitCode: 0 } });
  });

  test("is told to kill the command of a run that waited too long for it, wherever it connects again", async (t) => {
    const { computer, another, peer, link, ended } = await connected(t, forever);
    const running = execute(computer, "a");
    await until("the command runs", () => peer.disk.effects.size === 1);
    link.abort();
    await ended;
    await assert.rejects(running, ComputerUnreachableError);
    const other = another();
    void peer.connect(other, key);
    await until("it is killed", () => peer.disk.journal.get("agt_1 a") !== "begun");
    assert.deepEqual(peer.disk.journal.get("agt_1 a"), { case: "aborted", value: true });
    await until("it is forgotten", async () => (await other.store.find(key))?.abandoned?.length === 0);
  });

  test("is not waited for without end if it does not answer an abort", async (t) => {
    const { computer, machines, peer } = await connected(t, forever);
    const stop = new AbortController();
    const running = computer.execute(call("a"), () => undefined, stop.signal);
    await until("the command runs", () => peer.disk.effects.size === 1);
    peer.ignoresAborts = true;
    stop.abort(new Error("cancelled"));
    await assert.rejects(running, /cancelled/);
    await computer.abort("a");
    assert.equal(peer.disk.journal.get("agt_1 a"), "begun");
    assert.equal(machines.connected, 1);
  });

  test("is told why its connection ends: the process stops, or the computer was deleted", async (t) => {
    const { machines, another, peer, ended } = await connected(t);
    await machines.close();
    await ended;
    assert.deepEqual(
      peer.goodbyes.map(({ code }) => code),
      ["stopping"],
    );
    const other = another();
    assert.equal(await other.isElsewhere(owner), false);
    const second = peer.connect(other, key);
    await until("the computer is connected", () => other.connected === 1);
    await other.store.delete(key);
    await second;
    await peer.connect(other, key);
    assert.deepEqual(
      peer.goodbyes.map(({ code }) => code),
      ["stopping", "refused", "refused"],
    );
  });

  test("is running while connected, starting for 30 s afterwards, and then down, or none if it is a session", async (t) => {
    const clock = new ManualClock(Date.parse("2026-11-27T00:00:00Z"));
    const { another } = await world(t);
    const machines = another({ clock });
    const states = async () => [
      await machines.stateOf(owner),
      await machines.stateOf({ ...owner, kind: "cli" }),
    ];
    assert.deepEqual(await states(), ["down", "none"]);
    const link = new AbortController();
    const ended = new ScriptedComputer(done).connect(machines, key, link);
    await until("the computer is connected", () => machines.connected === 1);
    assert.deepEqual(await states(), ["running", "running"]);
    link.abort();
    await ended;
    await until("the end is stored", async () => (await states())[0] === "starting");
    clock.advance(29_999);
    assert.deepEqual(await states(), ["starting", "starting"]);
    clock.advance(1);
    assert.deepEqual(await states(), ["down", "none"]);
  });
});

describe("a computer that breaks the rules", () => {
  const tool = (more: object) => ({
    tools: [{ name: "a", description: "", inputSchemaJson: "{}", ...more }],
  });
  const hellos: Array<[string, object, RegExp]> = [
    ["another version", { protocolVersion: 2 }, /version 2.*version 1/],
    ["an unknown system", { os: "plan9" }, /operating system/],
    ["a long version", { runtimeVersion: "x".repeat(101) }, /runtime/],
    ["a region with control characters", { region: "a\nb" }, /region/],
    ["a wrong name of a tool", tool({ name: "a b" }), /name of a tool/],
    ["a schema that is no object", tool({ inputSchemaJson: "[]" }), /schema of the tool a/],
    ["a schema that is deep", tool({ inputSchemaJson: `${'{"a":'.repeat(99)}1${"}".repeat(99)}` }), /levels/],
    ["a large tool", tool({ description: "x".repeat(65_537) }), /64 KiB/],
    [
      "many tools",
      { tools: Array.from({ length: 101 }, (_, n) => ({ name: `t${n}`, inputSchemaJson: "{}" })) },
      /100 tools/,
    ],
    ["a tool twice", { tools: Array(2).fill({ name: "a", inputSchemaJson: "{}" }) }, /same name/],
  ];

  test("is refused with a sentence if its report is wrong, before it has the computer", async (t) => {
    const { machines } = await world(t);
    for (const [what, hello, sentence] of hellos) {
      const peer = new ScriptedComputer(done);
      peer.hello = hello;
      await peer.connect(machines, key);
      assert.equal(peer.goodbyes[0]?.code, "protocol", what);
      assert.match(peer.goodbyes[0]?.message ?? "", sentence, what);
    }
    assert.equal((await machines.store.find(key))?.epoch, 0);
  });

  test("is cut off if it sends a second hello, or bytes that are no frame or too many", async (t) => {
    const { machines } = await world(t);
    const hello: Sent = { case: "hello", value: { protocolVersion: 1, runtimeVersion: "1", os: "linux" } };
    const peer = new ScriptedComputer(done);
    const ended = peer.connect(machines, key);
    await until("the computer is connected", () => machines.connected === 1);
    peer.send(hello);
    await ended;
    assert.equal(peer.goodbyes[0]?.code, "protocol");
    for (const bytes of [Buffer.from("no frame"), Buffer.alloc(1024 * 1024 + 1)]) {
      const frames: Uint8Array[] = [];
      const sent = (async function* () {
        yield bytes;
        await Promise.withResolvers().promise;
      })();
      for await (const frame of machines.connect(sent, key, never)) frames.push(frame);
      assert.equal(frames.length, 1);
    }
  });

  test("changes nothing with outcomes and output that are not expected, and a result that is no JSON is an error", async (t) => {
    const { computer, peer } = await connected(t, async ({ key: sent }) => {
      const value = sent?.callId === "deep" ? "[".repeat(500_000) : "{";
      return { case: "resultJson", value };
    });
    const strange = { agentId: "agt_2", callId: "x" };
    peer.disk.unacknowledged.add("agt_2 x");
    peer.send({ case: "outcome", value: { key: strange, outcome: { case: "resultJson", value: "1" } } });
    peer.send({ case: "output", value: { key: strange, stream: "stdout", text: "x" } });
    peer.send({ case: "file", value: { id: 99n, response: { case: "done", value: true } } });
    peer.send({ case: undefined });
    await until("the outcome is acknowledged", () => peer.disk.unacknowledged.size === 0);
    for (const id of ["no-json", "deep"]) {
      const outcome = await execute(computer, id);
      assert.match("error" in outcome ? outcome.error : "", /its result must be valid JSON/);
    }
  });

  test("that sends no hello, or nothing for 25 s, is cut off", async (t) => {
    let nowMs = 0;
    const { another } = await world(t);
    const machines = another({ monotonicMs: () => nowMs, timings: { helloMs: 10, silentMs: 25_000 } });
    const silent = new ScriptedComputer(done);
    const ended = silent.connect(machines, key);
    await until("the computer is connected", () => machines.connected === 1);
    nowMs = 25_001;
    await ended;
    assert.equal(machines.connected, 0);
  });
});
