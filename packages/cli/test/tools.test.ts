import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster chat --tool and --vars", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let cwd = "";
  beforeAll(async () => {
    ({ run } = await startWorkplace(scope));
    cwd = await makeFolder(scope, helper);
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
  });
  const ask = (...args: string[]) =>
    run(["chat", "helper", "--message", "Please use get-order for 1042", ...args], { cwd });

  test("muster chat --tool NAME=VALUE returns JSON or text as the result of a tool", async () => {
    const json = await ask("--tool", 'get-order={"status":"sent"}');
    assert.equal(json.code, 0);
    assert.match(json.out, /get-order returned:? .*sent/);
    assert.match(json.err, /^ {2}get-order -> \{"status":"sent"\}$/m);
    const text = await ask("--tool", "get-order=It was sent = today");
    assert.match(text.err, /^ {2}get-order -> "It was sent = today"$/m);
  });

  test("muster chat --tool NAME=@FILE reads the file when the tool is called", async () => {
    await writeFiles(cwd, { "order.json": '{"status":"lost"}' });
    assert.match((await ask("--tool", "get-order=@order.json")).err, /get-order -> \{"status":"lost"\}/);
    const missing = await ask("--tool", "get-order=@absent.json");
    assert.equal(missing.code, 0);
    assert.match(missing.err, /get-order failed: .*absent\.json/);
  });

  test("a tool command reads the arguments and writes the result, and its failure reaches the model", async () => {
    const echoed = await ask("--tool", "get-order=cmd:cat");
    assert.match(echoed.err, /get-order -> \{"orderNumber":"1042"\}/);
    const named = await ask("--tool", 'get-order=cmd:echo "$MUSTER_TOOL $MUSTER_API_KEY"');
    assert.match(named.err, /get-order -> "get-order"/);
    const failed = await ask("--tool", "get-order=cmd:echo no such order >&2; exit 3");
    assert.equal(failed.code, 0);
    assert.match(failed.err, /get-order failed: no such order$/m);
    const nothing = await ask("--tool", "get-order=cmd:exit 0");
    assert.match(nothing.err, /get-order -> null$/m);
    const silent = await ask("--tool", "get-order=cmd:exit 3");
    assert.match(silent.err, /get-order failed: The command ended with exit code 3\.$/m);
  });

  test("a tool command with endless output is stopped, and the model gets an error", async () => {
    const { code, err } = await ask("--tool", "get-order=cmd:yes");
    assert.equal(code, 0);
    assert.match(err, /get-order failed: The output of the command exceeds 4194304 bytes\.$/m);
  });

  test("a wrong --tool option is a usage error that names the agent's tools", async () => {
    const unknown = await ask("--tool", "get-ordr=1");
    assert.deepEqual([unknown.code, unknown.out], [2, ""]);
    assert.match(unknown.err, /no tool get-ordr\. Its tools: get-order\./);
    assert.match((await ask("--tool", "get-order")).err, /must be NAME=JSON/);
    assert.match((await ask("--tool", "get-order=1", "--tool", "get-order=2")).err, /more than once/);
  });

  test("muster chat --vars shows variables and resources after each turn, also as JSON", async () => {
    const protocol = helper["protocol.yaml"]
      .replace("triggers:", "variables:\n  SUMMARY: { type: string, default: None yet }\ntriggers:")
      .replace("  agentic", "  input: [SUMMARY]\n  agentic");
    await writeFiles(cwd, { "protocol.yaml": protocol, "prompts/system.md": "{{SUMMARY}}" });
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
    const shown = await run(["chat", "helper", "--message", "Hi", "--vars"]);
    assert.match(shown.err, /^\[SUMMARY = "None yet"\]$/m);
    const { turns } = JSON.parse((await run(["chat", "helper", "--message", "Hi", "--vars", "--json"])).out);
    assert.deepEqual(turns[0].variables, { SUMMARY: "None yet" });
  });
});
