import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startScriptedWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster chat", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let start: Workplace["start"];
  let cwd = "";
  beforeAll(async () => {
    const refusal = { status: 401, body: '{"error":{"type":"authentication_error","message":"bad key"}}' };
    ({ run, start } = await startScriptedWorkplace(scope, [refusal], { DEMO_WORD_DELAY_MS: "5" }));
    cwd = await makeFolder(scope, helper);
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
  });
  const said = (text: string) => `[demo/echo, not a language model] You said: ${text}`;

  test("muster chat --message prints only the reply to standard output", async () => {
    const { code, out, err } = await run(["chat", "helper", "--message", "Hello there"]);
    assert.deepEqual([code, out], [0, `${said("Hello there")}\n`]);
    assert.match(err, /^Session ses_\w+ with helper$/m);
  });

  test("each line of the input is a message of one session, and blank lines are ignored", async () => {
    const { code, out } = await run(["chat", "helper"], { input: "One\n\n  \nTwo" });
    assert.deepEqual([code, out], [0, `${said("One")}\n${said("Two")}\n`]);
  });

  test("muster chat shows a tool call without a result, and the conversation continues", async () => {
    const { code, out, err } = await run(["chat", "helper", "--message", "Please use get-order for 1042"]);
    assert.equal(code, 0);
    assert.match(err, /^\[get-order \{"orderNumber":"1042"\}\]$/m);
    assert.match(err, /^ {2}get-order failed: This tool is not available here/m);
    assert.match(out, /The tool get-order failed: This tool is not available here/);
  });

  test("muster chat on a terminal asks for the results that no --tool sets, one after the other", async () => {
    const chat = start(["chat", "helper"], { terminal: true });
    const ask = async (message: string, count: number, result: string) => {
      chat.type(`${message}\n`);
      await chat.shown(
        /Result of get-order \{"orderNumber":"\d+"\}\? JSON or text; an empty line for none\./,
        count,
      );
      chat.type(`${result}\n`);
      await chat.shown(/\[demo\/echo, not a language model\] The tool .*\n/, count);
    };
    await ask("Please use get-order for 1042", 0, '{"status":"shipped"}');
    await ask("Please use get-order for 1043", 1, "on its way");
    await ask("Please use get-order for 1044", 2, "");
    chat.type("Please use get-order for 1045\n");
    await chat.shown(/1045"\}\? /);
    chat.interrupt();
    await chat.shown(/Cancelling the turn/);
    chat.type("Bye\n");
    await chat.shown(/You said: Bye/);
    chat.endInput();
    const { code, out, err } = await chat.finished;
    assert.equal(code, 0, err);
    assert.match(
      out,
      /returned status shipped\.\n[\s\S]*returned: on its way\.\n[\s\S]*failed: The user has given no result/,
    );
    assert.ok(!err.includes("Error:"), err);
  });

  test("muster chat --json prints one document with every turn", async () => {
    const { code, out } = await run(["chat", "helper", "--json"], { input: "Hi\nget-order 7\n" });
    assert.equal(code, 0);
    const { turns, sessionId, agentId } = JSON.parse(out);
    assert.match(`${sessionId} ${agentId}`, /^ses_\w+ agt_\w+$/);
    const [first, second] = turns;
    assert.deepEqual(first, {
      message: "Hi",
      text: said("Hi"),
      toolCalls: [],
      finishReason: "stop",
      error: null,
    });
    assert.deepEqual([second.toolCalls[0].toolName, second.finishReason], ["get-order", "stop"]);
    assert.match(second.text, /get-order failed/);
  });

  test("muster chat on a terminal prompts for messages until the input ends", async () => {
    const chat = start(["chat", "helper"], { terminal: true });
    await chat.shown(/> /);
    chat.type("Hello\n");
    await chat.shown(/You said: Hello/);
    await chat.shown(/> /, 1);
    chat.endInput();
    assert.equal((await chat.finished).code, 0);
  });

  test("Ctrl-C in a chat cancels the turn, and the conversation continues", async () => {
    const chat = start(["chat", "helper"], { terminal: true });
    chat.type(`${"word ".repeat(500)}\n`);
    await chat.shown(/You said/);
    chat.interrupt();
    await chat.shown(/Cancelling the turn/);
    await chat.shown(/> /, 1);
    chat.type("Still there?\n");
    await chat.shown(/You said: Still there\?/);
    chat.endInput();
    const { code, out } = await chat.finished;
    assert.equal(code, 0);
    assert.ok((out.match(/word/g) ?? []).length < 500);
  });

  test("Ctrl-C twice exits a chat, during a turn and at the prompt", async () => {
    const busy = start(["chat", "helper", "--message", "word ".repeat(500)]);
    await busy.shown(/You said/);
    busy.interrupt();
    busy.interrupt();
    assert.equal((await busy.finished).code, 130);
    const idle = start(["chat", "helper"], { terminal: true });
    await idle.shown(/> /);
    idle.interrupt();
    await idle.shown(/Press Ctrl-C again to exit/);
    idle.interrupt();
    assert.equal((await idle.finished).code, 130);
  });

  test("a chat reports failed and rejected turns separately, and exits with 1 for both", async () => {
    const protocol = helper["protocol.yaml"].replace("demo/echo", "anthropic/claude-sonnet-4-5");
    await writeFiles(cwd, { "protocol.yaml": protocol });
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
    const failed = await run(["chat", "helper", "--message", "Hi", "--json"]);
    assert.equal(failed.code, 1);
    const [turn] = JSON.parse(failed.out).turns;
    assert.ok(turn.error.errorType && turn.error.message, failed.out);
    await writeFiles(cwd, { "protocol.yaml": protocol.replace("anthropic/", "openai/") });
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
    const refused = await run(["chat", "helper", "--json"], { input: "Hi\nNever sent\n" });
    assert.equal(refused.code, 1);
    const document = JSON.parse(refused.out);
    assert.deepEqual([document.code, document.turns], ["MODEL_NOT_RUNNABLE", []]);
  });
});
