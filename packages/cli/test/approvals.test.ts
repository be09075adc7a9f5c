import assert from "node:assert/strict";
import { Secret } from "@muster/service";
import { signWebhook } from "@muster/service/webhook-signature";
import { serve } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

/** Its tool needs approval. */
const careful = {
  ...helper,
  "protocol.yaml": helper["protocol.yaml"].replace(
    "    parameters:",
    '    approval: { ask: true, title: "Look up {{orderNumber}}" }\n    parameters:',
  ),
};
const tool = ["--tool", 'get-order={"status":"shipped"}'];
const question = /decision> /;

describe("muster approvals", () => {
  const scope = suiteScope();
  let workplace: Workplace;
  let run: Workplace["run"];
  let start: Workplace["start"];
  beforeAll(async () => {
    workplace = await startWorkplace(scope, { TOOL_ALLOWED_HOSTS: "127.0.0.1" });
    ({ run, start } = workplace);
    const cwd = await makeFolder(scope, careful);
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
  });

  /** The output of a command that must succeed. */
  async function outputOf(...args: string[]): Promise<string> {
    const { code, out, err } = await run(args);
    assert.equal(code, 0, err);
    return out;
  }

  /** A chat without a terminal, whose call waits. */
  async function ask(order: string) {
    const chat = await run(["chat", "helper", "--message", `Please use get-order for ${order}`, "--json"]);
    assert.equal(chat.code, 0, chat.err);
    const { sessionId, turns } = JSON.parse(chat.out);
    const [{ finishReason, approvals }] = turns;
    assert.equal(finishReason, "other");
    const [id] = approvals;
    assert.match(chat.err, new RegExp(`To deny it, run: muster approvals deny ${id}\n`));
    return { sessionId: String(sessionId), id: String(id) };
  }

  test("a call is listed while it waits, shown with its arguments, and approved with others", async () => {
    const { sessionId, id } = await ask("1042");
    const row = new RegExp(`^${id} +Look up 1042 +pending .* ${sessionId} +helper$`, "m");
    assert.match(await outputOf("approvals", "list", "--session", sessionId), row);
    const args = ["--args", '{"orderNumber":"7"}', "--message", "Another one."];
    assert.equal(await outputOf("approvals", "approve", id, ...args), `${id} approved\n`);
    const shown = await outputOf("approvals", "show", id);
    assert.match(shown, /message: Another one\.\n\nLook up 1042\nget-order\n {2}orderNumber: "1042"\n/);
    assert.match(shown, /approved with\n {2}orderNumber: "7"\n[\s\S]*== user\nPlease use get-order for 1042/);
    const none = await run(["approvals", "list", "--session", sessionId]);
    assert.deepEqual([none.code, none.out, none.err], [0, "", "No calls found.\n"]);
    const all = await outputOf("approvals", "list", "--session", sessionId, "--status", "all", "--json");
    assert.equal(JSON.parse(all).approvals[0].status, "approved");
  });

  test("only the first decision counts, and unusable arguments decide nothing", async () => {
    const { id } = await ask("1");
    for (const args of ["[1]", "{", "@missing.json"]) {
      const refused = await run(["approvals", "approve", id, "--args", args]);
      assert.deepEqual([refused.code, /--args must be a JSON object/.test(refused.err)], [2, true]);
    }
    assert.equal(await outputOf("approvals", "deny", id, "--message", "No."), `${id} denied\n`);
    const late = await run(["approvals", "approve", id]);
    assert.deepEqual([late.code, /\(APPROVAL_DECIDED, /.test(late.err)], [1, true]);
  });

  test("muster chat on a terminal asks for decisions, and follows the turn", async () => {
    const chat = start(["chat", "helper", ...tool], { terminal: true });
    const say = async (order: number, count: number) => {
      chat.type(`Please use get-order for ${order}\n`);
      await chat.shown(question, count);
    };
    await say(1042, 0);
    await chat.shown(/Look up 1042\n {2}get-order\n {4}orderNumber: "1042"\n/);
    chat.type("perhaps\n");
    await chat.shown(/Type y, n/);
    await chat.shown(question, 1);
    chat.type("y\n");
    await chat.shown(/returned status shipped/);
    await say(1043, 2);
    chat.type("n Ask her first.\n");
    await chat.shown(/failed: The call was denied: Ask her first\./, 1);
    await say(1044, 3);
    chat.type("\n");
    await chat.shown(/the next message of the session cancels the call/);
    await say(1045, 4);
    chat.interrupt();
    await chat.shown(/Cancelling the turn/);
    chat.type("Bye\n");
    await chat.shown(/You said: Bye/);
    chat.endInput();
    const { code, err } = await chat.finished;
    assert.equal(code, 0, err);
    assert.equal(err.match(/To approve it, run/g)?.length, 1, err);
  });

  test("muster chat shows how to decide if its key may not", async () => {
    const create = ["keys", "create", "--name", "x", "--permission", "sessions", "--quiet"];
    const env = { MUSTER_API_KEY: (await outputOf(...create)).trim() };
    const message = ["--message", "Please use get-order for 1"];
    const input = ["--trigger", "user-message"];
    const { code, err } = await run(["chat", "helper", ...input, ...message], { env });
    assert.deepEqual(
      [code, /needs a key with the permission approve\.\nTo approve it, run/.test(err)],
      [0, true],
    );
  });

  test("muster workforce run --wait asks on a terminal, says how to decide without one, and follows every decision", async () => {
    await outputOf(
      "workforce",
      "hire",
      "log-analyst",
      "--name",
      "Lou",
      "--approval",
      "shell__run_command=ask",
    );
    const args = ["workforce", "run", "Lou", "Please use shell__run_command", "--wait"];
    const asked = start(args, { terminal: true });
    await asked.shown(question);
    asked.type("n Not today.\n");
    const denied = await asked.finished;
    assert.equal(denied.code, 0, denied.err);
    assert.match(denied.out, /The call was denied: Not today\./);
    assert.match(denied.err, /shell__run_command failed: The call was denied/);
    for (const terminal of [true, false]) {
      const watching = start(args, { terminal });
      await watching.shown(/This call waits for a decision:/);
      const listed = await outputOf("approvals", "list", "--limit", "1", "--json");
      const [{ approvalId: id, threadId }] = JSON.parse(listed).approvals;
      const shown = await outputOf("workforce", "show", "Lou", threadId);
      assert.match(shown, new RegExp(`^${threadId} queued.*\nWaits for ${id}\n`));
      if (terminal) await watching.shown(question);
      else await watching.shown(new RegExp(`To approve it, run: muster approvals approve ${id}\n`));
      await outputOf("approvals", "deny", id);
      const { code, out, err } = await watching.finished;
      assert.equal(code, 0, err);
      assert.match(out, /The call was denied\./);
    }
  });

  test("muster chat and muster workforce run --wait say in one line that a call waits for its service, and continue by themselves", async () => {
    const calls: string[] = [];
    const url = await serve(scope, (request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        response.writeHead(202).end('{"accepted":true}');
        calls.push(JSON.parse(body).callId);
      });
    });
    const secret = (await outputOf("projects", "tool-hosts", "add", new URL(url).host)).trim();
    const slow = {
      ...helper,
      "settings.json": helper["settings.json"].replaceAll("helper", "slow"),
      "protocol.yaml": helper["protocol.yaml"].replace(
        "    parameters:",
        `    http: { url: "${url}/orders" }\n    parameters:`,
      ),
    };
    assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, slow) })).code, 0);
    await outputOf("workforce", "hire", "--agent", "slow", "--name", "Mia");
    const order = "Please use get-order for 1042";
    const commands = [
      ["chat", "slow", "--message", order],
      ["workforce", "run", "Mia", order, "--wait"],
    ];
    for (const [index, args] of commands.entries()) {
      const waiting = start(args);
      await waiting.shown(/\[get-order waits for its service, expires \d{4}-.*Z\]\n/);
      if (index === 1) {
        const listed = JSON.parse(await outputOf("workforce", "threads", "Mia", "--json"));
        const shown = await outputOf("workforce", "show", "Mia", listed.threads[0].threadId);
        assert.match(shown, /\nWaits for the service of the call \S+\n/);
      }
      const body = JSON.stringify({ result: { status: `shipped ${index}` } });
      const response = await fetch(`${workplace.url}/api/tool-calls/${calls[index]}/result`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...signWebhook([new Secret(secret)], `result_${calls[index]}`, body, Date.now()),
        },
        body,
      });
      assert.equal(response.status, 200, await response.text());
      const { code, out, err } = await waiting.finished;
      assert.equal(code, 0, err);
      assert.ok(out.includes(`shipped ${index}`), out);
      assert.equal(err.match(/waits for its service/g)?.length, 1, err);
    }
  });
});
