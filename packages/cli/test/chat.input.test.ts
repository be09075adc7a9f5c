import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("input of muster chat", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let client: Workplace["client"];
  let cwd = "";
  beforeAll(async () => {
    ({ run, client } = await startWorkplace(scope));
    cwd = await makeFolder(scope, helper);
  });
  const push = (files: Record<string, string>) =>
    writeFiles(cwd, files).then(() => run(["agents", "push", "--yes"], { cwd }));
  const said = (text: string) => `[demo/echo, not a language model] You said: ${text}`;

  test("session input is parsed as JSON unless the agent declares it as text", async () => {
    const declared = "input:\n  SHOP: { type: string }\n  LIMIT: { type: integer }\n";
    const protocol =
      declared +
      helper["protocol.yaml"].replace("  system: system", "  system: system\n  input: [SHOP, LIMIT]");
    const files = { "protocol.yaml": protocol, "prompts/system.md": "{{SHOP}} {{LIMIT}}" };
    assert.equal((await push(files)).code, 0);
    const args = ["chat", "helper", "--message", "Hi", "--json", "--input", "SHOP=42", "--input", "LIMIT=42"];
    const { sessionId } = JSON.parse((await run(args)).out);
    const { input } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    assert.deepEqual(input, { SHOP: "42", LIMIT: 42 });
    const missing = await run(["chat", "helper", "--message", "Hi"]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /\(INVALID_INPUT, req_\w+\)\n {2}.*SHOP/);
    const first = await run(["chat", ...args.slice(4), "helper", "--message", "Hi"]);
    assert.equal(first.code, 0, "the agent may come after the input");
    const malformed = await run(["chat", "helper", "--message", "Hi", "--input", "shop=1"]);
    assert.deepEqual([malformed.code, /must be NAME=VALUE/.test(malformed.err)], [2, true]);
    const misspelt = await run([...args, "--input", "LIMITT=1"]);
    assert.deepEqual(
      [misspelt.code, /LIMITT is not declared. Declared input: SHOP, LIMIT/.test(misspelt.err)],
      [2, true],
    );
  });

  test("muster chat rejects an unknown trigger, and a message for a trigger without text input", async () => {
    const extra = "  stop:\n  other:\n    input: { TEXT: { type: string } }\n";
    const protocol = helper["protocol.yaml"]
      .replace("triggers:\n", `triggers:\n${extra}`)
      .replace(
        /handlers:\n/,
        "handlers:\n  stop: { Answer: { block: next-message } }\n  other: { Answer: { block: next-message } }\n",
      );
    assert.equal((await push({ "protocol.yaml": protocol, "prompts/system.md": "Hi" })).code, 0);
    const absent = await run(["chat", "helper", "--message", "x", "--trigger", "nix"]);
    assert.equal(absent.code, 2);
    assert.match(absent.err, /no trigger nix. The agent's triggers: stop, other, user-message/);
    const wordless = await run(["chat", "helper", "--message", "x", "--trigger", "stop"]);
    assert.deepEqual([wordless.code, /does not accept a message/.test(wordless.err)], [2, true]);
    const other = await run(["chat", "helper", "--message", "x", "--trigger", "other"]);
    assert.equal(other.code, 0);
  });

  test("a chat sends additional trigger input with each message, and fires a trigger without input once", async () => {
    const protocol = helper["protocol.yaml"]
      .replace(
        /input:\n {6}USER_MESSAGE.*\n/,
        "input:\n      TITLE: { type: string }\n      USER_MESSAGE: { type: string }\n      COUNT: { type: integer, default: 1 }\n",
      )
      .replace("triggers:\n", "triggers:\n  begin:\n")
      .replace("handlers:\n", "handlers:\n  begin: { Answer: { block: next-message } }\n")
      .replace("[USER_MESSAGE]", "[USER_MESSAGE, TITLE, COUNT]");
    const files = { "protocol.yaml": protocol, "prompts/user.md": "{{TITLE}} {{COUNT}} {{USER_MESSAGE}}" };
    assert.equal((await push(files)).code, 0);
    const chat = (...args: string[]) => run(["chat", "helper", ...args], { input: "One\nTwo" });
    const needs = await chat("--message", "x");
    assert.equal(needs.code, 2);
    assert.match(needs.err, /user-message requires TITLE, USER_MESSAGE.*--trigger-input/);
    const title = ["--trigger-input", "TITLE=7"];
    const filled = await chat(...title, "--trigger-input", "COUNT=3", "--message", "x");
    assert.deepEqual([filled.code, filled.out], [0, `${said("7 3 x")}\n`]);
    const lines = await chat(...title);
    assert.equal(lines.out, `${said("7 1 One")}\n${said("7 1 Two")}\n`);
    const whole = await chat(...title, "--trigger-input", "USER_MESSAGE=All");
    assert.equal(whole.out, `${said("7 1 All")}\n`);
    const begun = JSON.parse((await chat("--trigger", "begin", "--json")).out);
    assert.deepEqual(
      begun.turns.map(({ message, error }: { message: unknown; error: unknown }) => [message, error]),
      [[null, null]],
    );
    assert.match((await chat("--no-message")).err, /INVALID_INPUT/);
  });

  test("muster chat --message - sends the whole input as one message", async () => {
    assert.equal(
      (await push({ "protocol.yaml": helper["protocol.yaml"], "prompts/user.md": "{{USER_MESSAGE}}" })).code,
      0,
    );
    const args = ["chat", "helper", "--json", "--message", "-"];
    const { code, out } = await run(args, { input: "One\n\n Two\n" });
    const [turn] = JSON.parse(out).turns;
    assert.deepEqual([code, turn.message], [0, "One\n\n Two"]);
    const empty = await run(args, { input: "\n" });
    assert.deepEqual([empty.code, /Standard input contains no message/.test(empty.err)], [2, true]);
  });

  test("muster chat --session continues a session, but only with its own agent", async (t) => {
    const { sessionId } = JSON.parse((await run(["chat", "helper", "--message", "One", "--json"])).out);
    const on = ["--session", sessionId, "--message", "Two"];
    assert.equal((await run(["chat", "helper", ...on])).code, 0);
    const { messages } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    assert.ok(Array.isArray(messages) && messages.length === 4, JSON.stringify(messages));
    assert.equal((await run(["chat", "helper", ...on, "--input", "A=1"])).code, 2);
    const other = { ...helper, "settings.json": helper["settings.json"].replace("helper", "other") };
    const folder = await makeFolder(t, other);
    assert.equal((await run(["agents", "push", "--yes"], { cwd: folder })).code, 0);
    const foreign = await run(["chat", "other", ...on]);
    assert.deepEqual([foreign.code, /another agent/.test(foreign.err)], [2, true]);
  });

  test("muster chat rejects a worker agent", async (t) => {
    const folder = await makeFolder(t, {
      "settings.json": '{ "slug": "task", "name": "Task", "format": "worker" }',
      "protocol.yaml": "steps:\n  Begin: { block: start-thread, thread: main, model: demo/echo }\n",
    });
    assert.equal((await run(["agents", "push", "--yes"], { cwd: folder })).code, 0);
    const { code, err } = await run(["chat", "task", "--message", "x"]);
    assert.deepEqual([code, /is a worker agent/.test(err)], [1, true]);
  });
});
