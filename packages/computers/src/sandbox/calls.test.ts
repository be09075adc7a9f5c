import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createGuardedFetch } from "@muster/guarded-fetch";
import { openTestStore } from "@muster/store/testing";
import { serve, until } from "@muster/testing";
import type { Db } from "mongodb";
import { describe, test } from "vitest";
import { holdComputer, never, onEachRuntime, openersOf, owner } from "../../test/support/open-computers.ts";
import { releaseOf } from "../bubblewrap/system-files.ts";
import type { CallOutcome, ComputerCall } from "../computer.ts";
import { ComputerUnreachableError, StaleEpochError } from "../errors.ts";

const append = (id: string, epoch = 1): ComputerCall => ({
  id,
  name: "shell__run_command",
  args: { command: "echo line >> log; wc -l < log" },
  epoch,
});

onEachRuntime(({ runtime, openComputers, openComputer, configOf }) => {
  describe("a call", () => {
    test("is not executed twice: a repeated id gets the stored outcome, also from another process and a later holder", async (t) => {
      const { computers, another } = await openComputers(t);
      const { computer } = await holdComputer(computers, 1);
      const first = await computer.execute(append("call_a"), () => {}, never);
      assert.deepEqual(first, { result: { exitCode: 0, stdout: "1\n", stderr: "" } });
      const noOutput = () => assert.fail("a stored outcome has no output");
      assert.deepEqual(await computer.execute(append("call_a"), noOutput, never), first);
      const later = await holdComputer(another(), 2);
      assert.deepEqual(await later.computer.execute(append("call_a", 2), noOutput, never), first);
      assert.equal((await later.run("wc -l < log")).stdout, "1\n");
    });

    test("that is sent twice at the same time is executed once", async (t) => {
      const { computer, run } = await openComputer(t);
      const both = await Promise.all([1, 2].map(() => computer.execute(append("call_a"), () => {}, never)));
      assert.deepEqual(both[0], both[1]);
      assert.equal((await run("wc -l < log")).stdout, "1\n");
    });

    test("with a long outcome has it again when it is repeated", async (t) => {
      const { run } = await openComputer(t);
      const first = await run("seq 1 5000", { id: "call_a" });
      assert.equal(first.stdout.length, 23_893);
      assert.deepEqual(await run("echo other", { id: "call_a" }), first);
    });

    test("of an unknown tool, or with wrong arguments, is answered with an error for the model", async (t) => {
      const { call } = await openComputer(t);
      assert.deepEqual(await call("shell__nothing", {}), {
        error: "This computer has no tool shell__nothing.",
      });
      assert.deepEqual(await call("constructor", {}), { error: "This computer has no tool constructor." });
      assert.deepEqual(await call("shell__run_command", {}), { error: '"command" is missing.' });
      assert.deepEqual(await call("shell__run_command", { command: 7 }), {
        error: '"command" must be a string.',
      });
      assert.deepEqual(await call("shell__run_command", { command: " " }), {
        error: '"command" must not be empty.',
      });
      assert.deepEqual(await call("shell__run_command", { command: "x", timeoutSeconds: 601 }), {
        error: '"timeoutSeconds" must be a whole number from 1 to 600.',
      });
      assert.deepEqual(await call("files__read", { path: "nothing" }), {
        error: "ENOENT: no such file or directory, '/home/agent/nothing'",
      });
    });

    test("whose process is killed leaves the files unchanged, and is executed when it is repeated", async (t) => {
      const { computers, another } = await openComputers(t);
      const { computer, run } = await holdComputer(computers, 1);
      await run("echo first > log");
      let printed = "";
      const call = { ...append("call_a"), args: { command: "echo second >> log; cat log; sleep 100" } };
      const lost = computer.execute(call, (chunk) => (printed += chunk.text), never).catch(() => "lost");
      await until("the command has written", () => printed.includes("second"));
      await computers.close();
      assert.equal(await lost, "lost");
      const later = await holdComputer(another(), 2);
      assert.equal((await later.run("cat log")).stdout, "first\n");
      assert.deepEqual(await later.computer.execute({ ...append("call_a"), epoch: 2 }, () => {}, never), {
        result: { exitCode: 0, stdout: "2\n", stderr: "" },
      });
    });

    test("that began with a network and left no outcome is unknown, for good", async (t) => {
      const { computers, another, directory } = await openComputers(t);
      const config = configOf(directory, ["*"]);
      const first = another({ config });
      const { computer } = await holdComputer(first, 1);
      let printed = "";
      const call = { ...append("call_a"), args: { command: "echo started; sleep 100" } };
      const lost = computer.execute(call, (chunk) => (printed += chunk.text), never).catch(() => "lost");
      await until("the command runs", () => printed !== "");
      await first.close();
      assert.equal(await lost, "lost");
      for (const epoch of [2, 3]) {
        const later = await holdComputer(epoch === 2 ? another({ config }) : computers, epoch);
        const outcome = await later.computer.execute(append("call_a", epoch), () => assert.fail(), never);
        assert.deepEqual(outcome, { unknown: true });
      }
    });

    test("that is aborted ends at once, changes nothing, and rejects with the reason", async (t) => {
      const { computer, run } = await openComputer(t);
      const reason = new Error("cancelled");
      const controller = new AbortController();
      const call = { ...append("call_a"), args: { command: "echo x > f; while :; do :; done" } };
      const running = computer.execute(call, () => {}, controller.signal);
      setTimeout(() => controller.abort(reason), 300);
      await assert.rejects(running, (error) => error === reason);
      assert.equal((await run("ls")).stdout, "files\n");
    });

    test("is gone when abort resolves, whether it runs, waits or is unknown", async (t) => {
      const { computer, computers } = await openComputer(t);
      const outcomes = ["call_a", "call_b"].map((id) => {
        const call = { ...append(id), args: { command: "while :; do :; done" } };
        return computer
          .execute(call, () => {}, never)
          .then(
            () => "ended",
            (error) => error.name,
          );
      });
      await until("the first has begun", async () => (await computers.history("prj_1", "agt_1")).length > 0);
      await computer.abort("call_b");
      await computer.abort("call_a");
      await computer.abort("call_c");
      assert.deepEqual(await Promise.all(outcomes), ["AbortError", "AbortError"]);
    });
  });

  describe("a holder", () => {
    test("with an older epoch is refused by every method", async (t) => {
      const { computers, another } = await openComputers(t);
      const old = await holdComputer(computers, 1);
      await old.run("echo x > f");
      const snapshot = await old.computer.snapshot();
      await holdComputer(another(), 2);
      const { computer } = old;
      const calls = {
        open: () => another().open(owner, 1),
        start: () => computer.start(never),
        execute: () => computer.execute(append("call_a"), () => {}, never),
        read: () =>
          computer.execute(
            { ...append("call_b"), name: "files__read", args: { path: "f" } },
            () => {},
            never,
          ),
        putFile: () => computer.putFile("g", Buffer.from("x"), never),
        readFile: () => computer.readFile("f", never),
        listFiles: () => computer.listFiles(".", never),
        snapshot: () => computer.snapshot(),
        restore: () => computer.restore(snapshot),
      };
      for (const [name, run] of Object.entries(calls)) {
        await assert.rejects(run, (error) => error instanceof StaleEpochError, name);
      }
    });

    test("that is replaced in the middle of a command cannot store what the command did", async (t) => {
      const { computers, another } = await openComputers(t);
      const { computer } = await holdComputer(computers, 1);
      let printed = "";
      const call = { ...append("call_a"), args: { command: "echo started; sleep 0.5; echo late > f" } };
      const late = computer.execute(call, (chunk) => (printed += chunk.text), never);
      const refused = assert.rejects(late, (error) => error instanceof StaleEpochError);
      await until("the command runs", () => printed !== "");
      const later = await holdComputer(another(), 2);
      await refused;
      assert.equal((await later.run("ls")).stdout, "files\n");
    });

    test("cannot execute a call in the name of another epoch", async (t) => {
      const { computer } = await openComputer(t);
      for (const epoch of [0, 2]) {
        await assert.rejects(
          computer.execute(append("call_a", epoch), () => {}, never),
          StaleEpochError,
        );
      }
    });

    test("sees in the log of the computer which calls ran, under which epoch, and which were killed", async (t) => {
      const { computers, computer, run } = await openComputer(t);
      await run("true", { id: "call_a" });
      const controller = new AbortController();
      const call = { ...append("call_b"), args: { command: "sleep 100" } };
      const killed = computer.execute(call, () => {}, controller.signal).catch(() => {});
      await until("it runs", async () => (await computers.history("prj_1", "agt_1")).length === 2);
      controller.abort();
      await killed;
      const [first, second] = await computers.history("prj_1", "agt_1");
      assert.equal(first?.callId, "call_a");
      assert.equal(first?.epoch, 1);
      assert.ok((first?.stoppedAtMs ?? 0) >= (first?.startedAtMs ?? 1));
      assert.equal(second?.callId, "call_b");
      assert.equal(second?.stoppedAtMs, undefined);
      assert.deepEqual(await computers.history("prj_2", "agt_1"), []);
    });
  });

  describe("computers", () => {
    test("of a kind that is not connected are unreachable", async (t) => {
      const { computers } = await openComputers(t);
      await assert.rejects(
        computers.open({ ...owner, kind: "mac", os: "macos" }, 1),
        ComputerUnreachableError,
      );
    });

    test("say what they are, and whether they run", async (t) => {
      const { computers } = await openComputers(t);
      assert.equal(await computers.stateOf(owner), "none");
      const { computer } = await holdComputer(computers, 1);
      assert.equal(await computers.stateOf(owner), "running");
      assert.deepEqual(computer.info(), {
        kind: "sandbox",
        os: "linux",
        runtimeVersion: "0.1.0",
        imageVersion: runtime === "simulated" ? "just-bash 3.4.2" : releaseOf("/"),
        region: null,
      });
      await computer.stop();
      assert.equal(await computers.stateOf(owner), "paused");
      assert.equal(await computers.stateOf({ ...owner, kind: "mac" }), "down");
    });

    test("do not share files, and are deleted with theirs", async (t) => {
      const { computers } = await openComputers(t);
      const other = { ...owner, agentId: "agt_2" };
      const { run } = await holdComputer(computers, 1);
      await run("echo mine > f");
      assert.equal((await (await holdComputer(computers, 1, other)).run("ls")).stdout, "files\n");
      await computers.remove("prj_2", "agt_1");
      assert.equal((await run("cat f")).stdout, "mine\n");
      await computers.remove("prj_1", "agt_1");
      assert.equal(await computers.stateOf(owner), "none");
      assert.equal((await (await holdComputer(computers, 1)).run("ls")).stdout, "files\n");
      await computers.remove("prj_1", "agt_9");
    });

    test("lose their files even if the removal is interrupted and repeated", async (t) => {
      const { db } = await openTestStore(t);
      const { computers, directory } = await openComputers(t, { db: withLostResponse(db) });
      const { run } = await holdComputer(computers, 1);
      await run("echo mine > f");
      await assert.rejects(computers.remove("prj_1", "agt_1"), /lost/);
      await computers.remove("prj_1", "agt_1");
      assert.deepEqual(await readdir(join(directory, "blobs", "computers")), []);
    });

    test("run a bounded number of commands at once, and every agent gets its turn", async (t) => {
      const { computers } = await openComputers(t, { limits: { maxCommands: 2 } });
      const agents = ["agt_1", "agt_2", "agt_3", "agt_4"];
      const running = new Set<string>();
      let most = 0;
      const outcomes = await Promise.all(
        agents.map(async (agentId): Promise<CallOutcome> => {
          const { computer } = await holdComputer(computers, 1, { ...owner, agentId });
          const show = () => {
            running.add(agentId);
            most = Math.max(most, running.size);
          };
          const call = { ...append(agentId), args: { command: "echo start; sleep 0.2; true" } };
          return computer.execute(call, show, never).finally(() => running.delete(agentId));
        }),
      );
      assert.equal(outcomes.filter((outcome) => "result" in outcome).length, 4);
      assert.ok(most <= 2, `${most} at once`);
    });

    test("of one project do not delay a command of another one, however many sleep", async (t) => {
      const { computers } = await openComputers(t);
      const stop = new AbortController();
      const agents = Array.from({ length: 8 }, (_, index) => `agt_${index}`);
      const sleeping = Promise.allSettled(
        agents.map(async (agentId) => {
          const { run } = await holdComputer(computers, 1, { ...owner, agentId });
          return run("sleep 600", { timeoutSeconds: 600, signal: stop.signal });
        }),
      );
      await until("they fill their places", () => computers.commands.waiting >= 4);
      const other = await holdComputer(computers, 1, { ...owner, projectId: "prj_2", agentId: "agt_other" });
      assert.equal((await other.run("echo here")).stdout, "here\n");
      stop.abort();
      await sleeping;
      assert.equal(computers.commands.waiting, 0);
    });

    test("tell the model how long they waited, which does not count as their time, and have begun only then", async (t) => {
      let waitedMs = 0;
      const limits = { maxCommands: 1 };
      const { computers } = await openComputers(t, { limits, monotonicMs: () => waitedMs });
      const first = await holdComputer(computers, 1);
      const second = await holdComputer(computers, 1, { ...owner, agentId: "agt_2" });
      const stop = new AbortController();
      const sleeping = first.run("sleep 600", { signal: stop.signal }).catch(() => "stopped");
      const echo = second.run("echo here", { timeoutSeconds: 1 });
      await until("the second waits", () => computers.commands.waiting === 1);
      assert.deepEqual(await computers.history("prj_1", "agt_2"), []);
      waitedMs = 12_000;
      assert.equal(computers.commands.oldestMs, 12_000);
      stop.abort();
      await sleeping;
      const { exitCode, stdout, note } = await echo;
      assert.deepEqual([exitCode, stdout], [0, "here\n"]);
      assert.match(note ?? "", /^The command waited 12 seconds for its turn/);
      assert.equal((await computers.history("prj_1", "agt_2")).length, 1);
    });

    test("survive a command that breaks its process", async (t) => {
      const { run } = await openComputer(t, { limits: { maxMemoryBytes: 1024 } });
      const { exitCode, note } = await run("sleep 100");
      assert.equal(exitCode, 137);
      assert.match(note ?? "", /too much memory/);
    });
  });
});

const simulated = openersOf("simulated");

describe("the network", () => {
  test("is reached through the guard, for allowed hosts only", async (t) => {
    const seen: string[] = [];
    const origin = await serve(t, (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["x-test"] ?? ""}`);
      response.setHeader("content-type", "text/plain");
      if (request.method === "GET") response.end("hello");
      else request.pipe(response);
    });
    const { directory, another } = await simulated.openComputers(t);
    const open = async (hosts: string[], epoch: number) => {
      const fetchGuarded = createGuardedFetch({ privateOrigins: [origin] });
      const config = simulated.configOf(directory, hosts);
      return await holdComputer(another({ config, fetchGuarded }), epoch);
    };
    const { run } = await open(["127.0.0.1"], 1);
    assert.deepEqual(await run(`curl -sS -H 'X-Test: yes' ${origin}/page | tr a-z A-Z`), {
      exitCode: 0,
      stdout: "HELLO",
      stderr: "",
    });
    assert.equal((await run(`curl -sS -X POST --data 'a=1' ${origin}/post`)).stdout, "a=1");
    assert.deepEqual(seen, ["GET /page yes", "POST /post "]);

    const refused = await run(
      "curl -sS https://example.com/; curl -sS http://169.254.169.254/; curl -sS https://localhost/",
    );
    assert.notEqual(refused.exitCode, 0);
    assert.match(refused.stderr, /may not be visited|not allowed|https/i);
    const elsewhere = await open(["example.com"], 2);
    assert.match((await elsewhere.run(`curl -sS ${origin}/page`)).stderr, /may not be visited/);
    assert.equal(seen.length, 2);
  });
});

/** The response of the first deletion never arrives. */
function withLostResponse(db: Db): Db {
  let isLost = false;
  const collection = (name: string) => {
    const real = db.collection(name);
    const deleteOne = async (filter: object) => {
      const result = await real.deleteOne(filter);
      if (isLost) return result;
      isLost = true;
      throw new Error("the response was lost");
    };
    return new Proxy(real, {
      get: (target, key) => (key === "deleteOne" ? deleteOne : bound(target, key)),
    });
  };
  return new Proxy(db, { get: (target, key) => (key === "collection" ? collection : bound(target, key)) });
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target);
  return typeof value === "function" ? value.bind(target) : value;
}
