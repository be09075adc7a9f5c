import assert from "node:assert/strict";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { processStartOf } from "../src/state/process-start.ts";
import { connect } from "./support/connect.ts";
import { agent } from "./support/platform.ts";

const server = join(import.meta.dirname, "support/mcp-server.mjs");

test("the tools of MCP servers are offered and called, and a server that dies or does not start is an error", async (t) => {
  const home = await realpath(await temporaryDirectory(t));
  const servers = {
    test: {
      command: "sh",
      args: ["-c", `exec "${process.execPath}" "${server}"`],
      env: { GREETING: "hello" },
    },
    absent: { command: "/nonexistent/program" },
  };
  await writeFile(join(home, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const { platform, dir, lines, stop, ended } = await connect(t, { home, mcp: join(home, "mcp.json") });
  await platform.connected();
  const [hello] = platform.frames;
  const names = hello?.case === "hello" ? hello.value.tools.map(({ name }) => name).slice(4) : [];
  assert.deepEqual(
    names,
    ["echo", "fail", "large", "picture", "die", "wait"].map((name) => `test__${name}`),
  );
  assert.ok(
    lines.some((line) => line.startsWith("The MCP server absent did not start")),
    lines.join("\n"),
  );
  assert.ok(lines.includes("[test] \\u001b[2Jserver ready"), lines.join("\n"));
  const use = (name: string, args: unknown = {}) => {
    platform.call(name, `test__${name}`, args);
    return platform.outcome(name);
  };
  assert.deepEqual(await use("echo", { text: "you" }), { result: "hello you" });
  assert.deepEqual(await use("fail"), { error: "it failed" });
  assert.deepEqual(await use("picture"), {
    result: [{ type: "image", mediaType: "image/png", note: "3 bytes that cannot be shown here" }],
  });
  assert.deepEqual(await use("large"), { error: "The result has more than 900 KiB. Ask for less at once." });
  platform.call("wait", "test__wait", {});
  await until("it is called", () => lines.some((line) => line.includes("call wait of test")));
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "wait" } } });
  assert.deepEqual(await platform.outcome("wait"), { aborted: true });
  const pids = (await readFile(join(dir, "pids"), "utf8")).split(" ").map(Number);
  assert.deepEqual(await use("die"), { error: "The MCP server test on this computer has ended." });
  platform.call("again", "test__echo", { text: "you" });
  assert.deepEqual(await platform.outcome("again"), {
    error: "The MCP server test on this computer has ended.",
  });
  await until("its processes are gone", () => pids.every((pid) => processStartOf(pid) === undefined));
  platform.call("other", "test__absent", {});
  assert.deepEqual(await platform.outcome("other"), { error: "This computer has no tool test__absent." });
  stop();
  assert.equal(await ended, undefined);
});
