import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster workforce", () => {
  const scope = suiteScope();
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = await startWorkplace(scope);
  });

  const workforce = (args: readonly string[], setup?: Parameters<Workplace["run"]>[1]) =>
    workplace.run(["workforce", ...args], setup);

  /** The output of a command that must succeed. */
  async function outputOf(...args: string[]): Promise<string> {
    const { code, out, err } = await workforce(args);
    assert.equal(code, 0, err);
    return out;
  }

  const json = async (...args: string[]) => JSON.parse(await outputOf(...args, "--json"));

  /** Hires a log analyst, and returns its key. */
  async function hire(name: string, ...more: string[]): Promise<string> {
    const key = await outputOf("hire", "log-analyst", "--name", name, "--quiet", ...more);
    assert.match(key, /^svc_agt_\w+\n$/);
    return key.trim();
  }

  test("a first use without a model's key: hire, run --wait, a follow-up and show", async () => {
    const hired = await workforce(["hire", "log-analyst", "--name", "Lou"]);
    assert.equal(hired.code, 0, hired.err);
    assert.match(hired.out, /^svc_agt_\w+\n$/);
    assert.match(hired.err, /Hired Lou \(agt_\w+\)[\s\S]*cannot be shown again[\s\S]*workforce run "Lou"/);

    const first = await workforce(["run", "Lou", "Which of these hosts failed most?", "--wait"]);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /The tool files__read returned[\s\S]*hosts/);
    // The commands with their output, then the status and the cost.
    assert.match(first.err, /\n\$ .*wc task\.txt\n {1,}1 {1,}6 {1,}34 task\.txt\n\$ [\s\S]*\[files__read /);
    assert.match(first.err, /\n\[completed\]\n\[thr_\w+ completed, \$0\.00, [\d,]+ tokens\]\n$/);
    const threadId = /thr_\w+/.exec(first.err)?.[0] ?? "";

    const second = await workforce(["run", "Lou", "Why?", "--thread", threadId, "--wait"]);
    assert.equal(second.code, 0, second.err);
    assert.ok(!(second.out + second.err).includes("hosts"), "the first turn is not shown again");

    assert.match(await outputOf("show", "Lou"), /^Lou \(agt_\w+\), idle\n[\s\S]*definition +log-analyst 1\n/);
    const shown = await outputOf("show", "Lou", threadId);
    assert.match(shown, /completed, \$0\.00[\s\S]*== user\nWhich of[\s\S]*== assistant[\s\S]*== user\nWhy\?/);
    assert.match(await outputOf("threads", "Lou"), new RegExp(`^${threadId} +Which of .* completed `, "m"));
    assert.match(await outputOf("show", "lou"), /^Lou \(agt_\w+\), idle\n/);
    assert.match(await outputOf("list"), /^lou +Lou +idle +0 +log-analyst 1 .* agt_\w+$/m);
    const watched = await workforce(["watch", "Lou", threadId]);
    assert.equal(watched.code, 0);
    assert.match(watched.out, /hosts[\s\S]*Why\?/);
  });

  test("an agent's own key in MUSTER_AGENT_KEY is enough to give it work, and works for no other agent", async () => {
    const key = await hire("Own");
    await hire("Other");
    const env = { MUSTER_API_KEY: "", MUSTER_AGENT_KEY: key };
    const sent = await workforce(["run", "Own", "-", "--wait", "--json"], { env, input: "Hello\n" });
    assert.equal(sent.code, 0, sent.err);
    assert.equal(sent.err, "");
    const { status, messages } = JSON.parse(sent.out);
    assert.deepEqual([status, messages[0].parts[0].text], ["completed", "Hello"]);
    const other = await workforce(["run", "Other", "Hello"], { env });
    assert.deepEqual([other.code, /is a key of Own \(agt_\w+\), not of Other/.test(other.err)], [2, true]);
    const wrong = await workforce(["run", "Own", "Hello"], {
      env: { ...env, MUSTER_AGENT_KEY: "svc_agt_x" },
    });
    assert.deepEqual([wrong.code, /rejected the API key in MUSTER_AGENT_KEY/.test(wrong.err)], [1, true]);
    const project = await workforce(["run", "Own", "Hello"], { env: { MUSTER_AGENT_KEY: workplace.key } });
    assert.deepEqual([project.code, /is not a key of a workforce agent/.test(project.err)], [2, true]);
  });

  test("without --wait, run prints the thread; a repeat with the same key sends nothing, and another message with it fails", async () => {
    await hire("Once");
    const args = ["run", "Once", "Hello", "--idempotency-key", "build-77"];
    const first = await json(...args);
    assert.deepEqual([first.status, first.replayed], ["pending", false]);
    const again = await json(...args);
    assert.deepEqual([again.threadId, again.replayed], [first.threadId, true]);
    const reused = await workforce(["run", "Once", "Bye", "--idempotency-key", "build-77"]);
    assert.deepEqual([reused.code, /IDEMPOTENCY_KEY_REUSED/.test(reused.err)], [1, true]);
    const malformed = await workforce(["run", "Once", "Bye", "--idempotency-key", "a b"]);
    assert.deepEqual([malformed.code, /INVALID_IDEMPOTENCY_KEY/.test(malformed.err)], [1, true]);
    assert.equal((await json("threads", "Once")).threads.length, 1);
  });

  test("a run that a limit blocks exits with 4, and works once the limit is raised", async () => {
    await hire("Spent", "--monthly-runs", "0");
    const blocked = await workforce(["run", "Spent", "Hello", "--wait"]);
    assert.equal(blocked.code, 4, blocked.err);
    assert.match(blocked.err, /has used its 0 runs of this month.*\(billing\)\n\[thr_\w+ blocked\]\n$/);
    const threadId = /thr_\w+/.exec(blocked.err)?.[0] ?? "";
    const refused = await workforce(["run", "Spent", "Now?", "--thread", threadId]);
    assert.deepEqual([refused.code, /USAGE_LIMIT/.test(refused.err)], [1, true]);
    assert.match(await outputOf("update", "Spent", "--monthly-runs", "5"), /^monthly limits +5 runs$/m);
    const raised = await workforce(["run", "Spent", "Now?", "--thread", threadId, "--wait"]);
    assert.equal(raised.code, 0, raised.err);
    assert.match(await outputOf("update", "Spent", "--monthly-runs", "none"), /^monthly limits +none$/m);
  });

  test("rules of approval are set at hire, added and removed one by one, and shown", async () => {
    await hire("Strict", "--approval", "refund=ask");
    assert.match(await outputOf("show", "Strict"), /^approvals +refund=ask$/m);
    const changed = await outputOf("update", "Strict", "--approval", "shell__*=deny");
    assert.match(changed, /^approvals +refund=ask shell__\*=deny$/m);
    const removed = await outputOf(
      "update",
      "Strict",
      "--approval",
      "refund=none",
      "--approval",
      "shell__*=none",
    );
    assert.match(removed, /^approvals +none$/m);
    const wrong = await workforce(["update", "Strict", "--approval", "refund=allow"]);
    assert.deepEqual([wrong.code, wrong.out], [2, ""]);
    assert.match(wrong.err, /NAME=ask, NAME=deny or NAME=none/);
  });

  test("a paused agent refuses messages until it is resumed; its queue and its keys are managed by its name", async () => {
    await hire("Paused");
    assert.match(await outputOf("pause", "Paused"), /is paused/);
    const refused = await workforce(["run", "Paused", "Hello"]);
    assert.deepEqual([refused.code, /AGENT_PAUSED/.test(refused.err)], [1, true]);
    assert.match(await outputOf("show", "Paused"), /unavailable \(paused\)/);
    await outputOf("resume", "Paused");
    assert.deepEqual(await json("queue", "Paused"), { current: null, queued: [] });
    const { id, key } = await json("keys", "create", "Paused", "--name", "CI", "--expires", "2099-01-01");
    assert.match(key, /^svc_agt_/);
    assert.match(await outputOf("keys", "list", "Paused"), new RegExp(`^${id} +CI .*2099-01-01`, "m"));
    assert.equal(await outputOf("keys", "delete", "Paused", id, "--yes"), `Deleted ${id}.\n`);
    assert.equal((await workforce(["delete", "Paused"])).code, 2);
    await outputOf("delete", "Paused", "--yes");
    const gone = await workforce(["show", "Paused"]);
    assert.deepEqual([gone.code, /To list the workforce agents, run:/.test(gone.err)], [1, true]);
  });

  test("an agent moves to a new version of its definition, warns of tools that nothing executes, and runs a thread again on it", async () => {
    const protocol = (input: string, more = "") =>
      [
        `triggers: { user-message: { input: { ${input}: { type: string } } } }`,
        `agent: { model: demo/echo, system: system }${more}`,
        "handlers:",
        "  user-message:",
        `    Add: { block: add-message, role: user, prompt: ${input.toLowerCase()}, input: [${input}] }`,
        "    Answer: { block: next-message }",
      ].join("\n");
    const prompts = ["TASK", "WORK"].map((name) => ({ name: name.toLowerCase(), content: `{{${name}}}` }));
    const body = {
      settings: { slug: "mover", name: "Mover", format: "interactive" },
      ...{ protocol: protocol("TASK"), references: [] },
      prompts: [...prompts, { name: "system", content: "Work." }],
    };
    const agentId = await workplace.client.field("agentId", 201, "POST", "/api/agents", body);
    const hired = await workforce(["hire", "--agent", "mover", "--name", "Mo"]);
    assert.ok(!hired.err.includes("Warning"), hired.err);
    const first = await json("run", "Mo", "Hello again", "--wait");
    const tools = "\ntools: { look: { description: Looks. } }";
    const change = { protocol: protocol("WORK", tools) };
    await workplace.client.json(200, "PATCH", `/api/agents/${agentId}`, change);
    const moved = await workforce(["update", "Mo", "--version", "latest"]);
    assert.match(moved.out, /^definition +mover 2$/m);
    assert.match(moved.err, /^Warning: Nothing executes the tool look in a run/m);
    const again = await workforce(["rerun", "Mo", first.threadId, "--wait", "--json"]);
    const { threadId, status, messages } = JSON.parse(again.out);
    assert.deepEqual([status, messages[0].parts[0].text], ["completed", "Hello again"]);
    assert.notEqual(threadId, first.threadId);
    const followed = await json("run", "Mo", "And more", "--thread", first.threadId, "--wait");
    assert.deepEqual([followed.status, followed.threadId], ["completed", first.threadId]);
    const wrong = await workforce(["update", "Mo", "--version", "9"]);
    assert.deepEqual([wrong.code, /version must be a version/.test(wrong.err)], [1, true], wrong.err);
  });

  test("Ctrl-C ends the watching and not the work; cancel ends the work, and its watcher exits with 1", async (t) => {
    // A run takes many seconds.
    const slow = await startWorkplace(t, { DEMO_WORD_DELAY_MS: "300" });
    const hired = await slow.run(["workforce", "hire", "log-analyst", "--name", "Slow"]);
    assert.equal(hired.code, 0, hired.err);
    const leaving = slow.start(["workforce", "run", "Slow", "Hello", "--wait"]);
    await leaving.shown(/\[running\]/);
    leaving.interrupt();
    const left = await leaving.finished;
    assert.equal(left.code, 130, left.err);
    const [, threadId = ""] = /workforce watch Slow (thr_\w+)/.exec(left.err) ?? [];
    const watching = slow.start(["workforce", "watch", "Slow", threadId]);
    await watching.shown(/\[running\]/);
    const cancelled = await slow.run(["workforce", "cancel", "Slow", threadId]);
    assert.deepEqual([cancelled.code, cancelled.out], [0, `${threadId} cancelled\n`]);
    const watched = await watching.finished;
    assert.deepEqual(
      [watched.code, /\[cancelled\]\n\[thr_\w+ cancelled.*\]\n$/.test(watched.err)],
      [1, true],
    );
  });

  test("an ambiguous name, two definitions and wrong options are usage errors; an unknown pre-built agent is refused with the list", async () => {
    const usage = async (...args: string[]) => {
      const { code, err } = await workforce(args);
      assert.equal(code, 2, err);
      return err;
    };
    for (const name of ["Twin", "Twin", "Single"]) await hire(name);
    assert.match(await usage("pause", "Twin"), /2 workforce agents are named Twin.*agt_\w+, agt_\w+/);
    assert.match(
      await usage("hire", "log-analyst", "--agent", "x", "--name", "n"),
      /either the slug .* or --agent/,
    );
    assert.match(await usage("hire", "--name", "n"), /either the slug .* or --agent/);
    assert.match(await usage("hire", "log-analyst"), /--name/);
    assert.match(await usage("hire", "log-analyst", "--name", "n", "--monthly-usd", "much"), /--monthly-usd/);
    assert.match(
      await usage("hire", "log-analyst", "--name", "n", "--capability", "x"),
      /NAME=on or NAME=off/,
    );
    assert.match(await usage("run", "Single", "m", "--thread", "thr_1", "--model", "a/b"), /are fixed/);
    assert.match(await usage("update", "Single"), /Nothing to change/);
    const unknown = await workforce(["hire", "nobody", "--name", "n"]);
    assert.deepEqual(
      [unknown.code, /must be one of .*log-analyst/.test(unknown.err)],
      [1, true],
      unknown.err,
    );
    const { prebuilt } = await json("prebuilt");
    const slugs = prebuilt.map(({ slug }: { slug: string }) => slug);
    assert.ok(slugs.includes("log-analyst"), slugs.join());
  });
});
