import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { readConnectOptions } from "../src/read-connect-options.ts";
import { createTerminal } from "../src/terminal/terminal.ts";
import { connect } from "./support/connect.ts";
import { agent, startPlatform } from "./support/platform.ts";

test("mistakes of the command line and its files are one sentence each", async (t) => {
  const folder = await temporaryDirectory(t);
  const file = (name: string, content: string) => writeFile(join(folder, name), content);
  await file("file", "");
  await file("broken.json", '{\n  "mcpServers": {\n    "a": x }\n}');
  await file("shape.json", '{ "mcpServers": { "a": { "url": "https://x" } } } // comment');
  await file("name.json", '{ "mcpServers": { "shell": { "command": "x" } } }');
  const right = { url: "https://muster.example.com", token: "svc_cmp_x", dir: ".", state: "state" };
  const cases: Array<[object, RegExp]> = [
    [{ url: undefined }, /address of the server is missing/],
    [{ url: "muster.example.com" }, /is not the address of a server/],
    [{ url: "ws://muster.example.com" }, /is not the address of a server/],
    [{ token: undefined }, /Set MUSTER_COMPUTER_TOKEN/],
    [{ token: "svc_sk_secret" }, /^The token is not one of a computer: these begin with svc_cmp_\.$/],
    [{ dir: undefined }, /with --dir/],
    [{ dir: "none" }, /The folder .*none does not exist/],
    [{ dir: "file" }, /is not a folder/],
    [{ mcp: "none.json" }, /none\.json cannot be read: ENOENT/],
    [{ mcp: "broken.json" }, /broken\.json:3:10: Invalid symbol\.$/],
    [{ mcp: "shape.json" }, /mcpServers\.a\.command must be the program/],
    [{ mcp: "name.json" }, /the name "shell" must be/],
    [{ region: "a b" }, /--region/],
    [{ state: "file/state" }, /state folder .* cannot be created/],
  ];
  for (const [change, message] of cases)
    await assert.rejects(readConnectOptions({ ...right, ...change }, {}, folder), {
      name: "ConnectError",
      message,
    });
  const { env, warnings } = await readConnectOptions(
    right,
    { MUSTER_API_KEY: "x", muster_url: "y", A: "b" },
    folder,
  );
  assert.deepEqual([env, warnings], [{ A: "b" }, []]);
  const warned = async (url: string) =>
    (await readConnectOptions({ ...right, url }, {}, folder)).warnings.length;
  assert.deepEqual(
    await Promise.all(["http://muster.lan", "http://127.0.0.1:1", "http://localhost"].map(warned)),
    [1, 0, 0],
  );
});

test("a refusal of the server that will not change ends the command with its reason", async (t) => {
  const body = (error: string) => JSON.stringify({ error, code: "X" });
  const cases: Array<[number, string, RegExp, Record<string, string>?]> = [
    [401, body("no"), /^The server does not accept the token\. Create another one/],
    [
      403,
      body("this is no token\u001b[2J"),
      /^The server refuses the connection: this is no token\\u001b\[2J$/,
    ],
    [426, body("update"), /refuses the connection: update/],
    [404, "<html>", /is not a Muster server that computers can connect to/],
    [200, "<html>", /is not a Muster server that computers can connect to/],
    [301, "", /redirects to https:\/\/other\. Use/, { location: "https://other" }],
  ];
  for (const [status, text, message, headers] of cases) {
    const platform = await startPlatform(t);
    platform.refusal = { status, body: text, ...(headers && { headers }) };
    const { ended } = await connect(t, { platform });
    assert.match((await ended)?.message ?? "", message);
  }
});

test("a computer keeps trying while the server fails, and says so once", async (t) => {
  const platform = await startPlatform(t);
  platform.refusal = { status: 503, body: "busy" };
  const { lines } = await connect(t, { platform });
  await until("it has tried", () => lines.length > 0);
  platform.refusal = undefined;
  await until("it reports the connection", () => lines.some((line) => line.startsWith("Connected")));
  assert.deepEqual(lines.slice(0, -1), [
    "Not connected: the server responds with the status 503. Trying again.",
  ]);
});

test("a farewell ends the command with its sentence, and one of a server that stops does not", async (t) => {
  const { platform, ended } = await connect(t);
  await platform.connected();
  platform.close("stopping", "");
  await until("it is connected again", () => platform.connections === 2);
  platform.refusal = { status: 404, body: "<html>" };
  platform.cut();
  platform.refusal = undefined;
  await until("it is connected again", () => platform.connections === 3);
  platform.close("superseded", "A newer connection has the computer.");
  assert.equal((await ended)?.message, "A newer connection has the computer.");
  const revoked = await connect(t);
  await revoked.platform.connected();
  revoked.platform.refusal = { status: 401, body: "{}" };
  revoked.platform.cut();
  assert.match((await revoked.ended)?.message ?? "", /^The token no longer works/);
});

test("nothing that a hostile platform sends ends the computer, or reaches the terminal as a command", async (t) => {
  const { platform, lines, ended } = await connect(t);
  await platform.connected();
  const again = async (count: number) => until("it is connected again", () => platform.connections === count);
  platform.sendBytes("text");
  await again(2);
  platform.sendBytes(Buffer.from([255, 255, 255]));
  await again(3);
  platform.sendBytes(Buffer.alloc(1024 * 1024 + 1));
  await again(4);
  platform.send({ case: "welcome", value: { epoch: 1n, computerId: "x", computerName: "x" } });
  platform.send({ case: "call", value: { name: "x" } });
  platform.send({ case: "abort", value: {} });
  platform.send({ case: "ack", value: { key: { agentId: "nobody", callId: "none" } } });
  platform.send({ case: "content", value: { id: 9n, bytes: Buffer.from("x"), isLast: true } });
  platform.send({ case: "file", value: { id: 9n } });
  const key = { agentId: agent.agentId, callId: "x".repeat(10_000) };
  platform.send({ case: "call", value: { key, name: "shell__run_command", argsJson: "{}", epoch: 1n } });
  const evil = "\u001b]0;title\u0007\u202e\r\u009b2J";
  platform.send({
    case: "call",
    value: {
      key: { agentId: agent.agentId, callId: "evil" },
      ...{
        name: "shell__run_command",
        argsJson: JSON.stringify({ command: `: '${evil}'` }),
        epoch: 1n,
        agentName: evil,
      },
    },
  });
  assert.ok(JSON.stringify(await platform.outcome("evil")).includes("exitCode"));
  for (const [id, args] of Object.entries({
    json: "{",
    deep: "[".repeat(100) + "]".repeat(100),
    proto: '{"__proto__":1}',
  })) {
    const value = { key: { ...key, callId: id }, name: "shell__run_command", argsJson: args, epoch: 1n };
    platform.send({ case: "call", value });
    assert.match(JSON.stringify(await platform.outcome(id)), /^{"error":"The arguments must/);
  }
  platform.call("wait", "shell__run_command", { command: "sleep 1000" });
  for (let index = 0; index < 220; index++)
    platform.call(`many${index}`, "shell__run_command", { command: "true" });
  assert.deepEqual(await platform.outcome("many219"), { error: "200 calls are already waiting." });
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "wait" } } });
  assert.deepEqual(await platform.outcome("wait"), { aborted: true });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.equal(await Promise.race([ended, platform.outcome("many0").then(() => "alive")]), "alive");
});

test("a platform that reads no responses is not read either, so that they do not fill the memory", async (t) => {
  const { platform } = await connect(t);
  await platform.connected();
  platform.call("write", "shell__run_command", { command: `yes ${"x".repeat(50)} | head -c 60000` });
  await platform.outcome("write");
  platform.socket().pause();
  const [count, before] = [3_000, process.memoryUsage().rss];
  // 3,000 repeated calls would be answered with 180 MB.
  for (let index = 0; index < count; index++) platform.call("write", "shell__run_command", { command: "x" });
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "last" } } });
  const frames = platform.frames.length;
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024);
  assert.equal(platform.frames.length, frames);
  platform.socket().resume();
  assert.deepEqual(await platform.outcome("last"), { aborted: true });
});

test("with --approve nothing runs without the user's yes, and an answer never counts for another question", async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  const terminal = createTerminal(input, output, true);
  t.onTestFinished(() => terminal.close());
  const { platform, lines } = await connect(t, { approve: true, ask: terminal.ask });
  await platform.connected();
  input.write("y\n");
  const asked = (count: number) =>
    until(`it has asked ${count} times`, () => shown.split("[y/n]").length - 1 === count);
  platform.call("a", "shell__run_command", { command: "echo one\necho two" });
  await asked(1);
  input.write("perhaps\n");
  await asked(2);
  input.write("n\n");
  assert.match(
    JSON.stringify(await platform.outcome("a")),
    /^{"error":"The person at this computer refused the call/,
  );
  assert.ok(
    lines.some((line) => line.endsWith(":\n  | echo one\n  | echo two")),
    lines.join("\n"),
  );
  platform.call("b", "shell__run_command", { command: "echo b" });
  await asked(3);
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "b" } } });
  platform.call("c", "shell__run_command", { command: "echo c" });
  await until("the question is withdrawn", () => shown.includes("no longer open"));
  assert.deepEqual(await platform.outcome("b"), { aborted: true });
  input.write("y\n");
  await asked(4);
  input.write("yes\n");
  assert.deepEqual(await platform.outcome("c"), { result: { exitCode: 0, stdout: "c\n", stderr: "" } });
  const absent = await connect(t, { approve: true, ask: terminal.ask, approveMs: 1 });
  await absent.platform.connected();
  assert.match(JSON.stringify(await absent.platform.run("a", "touch a")), /did not allow it in time/);
  const alone = await connect(t, { approve: true });
  assert.match((await alone.ended)?.message ?? "", /standard input is not a terminal/);
});
