import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const secret = "It's a Secret to Everybody";

describe("muster hooks", () => {
  const scope = suiteScope();
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = await startWorkplace(scope);
    workplace.env.HOOK_SECRET = secret;
  });

  async function outputOf(...args: string[]): Promise<string> {
    const { code, out, err } = await workplace.run(args);
    assert.equal(code, 0, err);
    return out;
  }

  const create = [
    "hooks",
    "create",
    "Lou",
    "--name",
    "New issues",
    "--verify",
    "github",
    "--secret-env",
    "HOOK_SECRET",
  ];

  async function post(url: string, body: string | Buffer, headers: Record<string, string> = {}) {
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const sent = { "content-type": "application/json", "x-hub-signature-256": signature, ...headers };
    const response = await fetch(url, { method: "POST", headers: sent, body });
    return { status: response.status, text: await response.text() };
  }

  test("a signed event over HTTP reaches a real agent, is listed, and is carried out again with another message", async () => {
    await outputOf("workforce", "hire", "log-analyst", "--name", "Lou", "--quiet");
    const address = (
      await outputOf(
        ...create,
        "--message",
        "Why: {{ALERT}}?",
        "--filter",
        '{"required":["alert"]}',
        "--quiet",
      )
    ).trim();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/hooks\/hok_\w+$/);
    const { status, text } = await post(address, '{"alert":"disk full"}');
    assert.equal(status, 202);
    assert.equal((await post(address, '{"alert":"disk full"}')).text, text);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await post(address, "payload=%7B%7D", form)).status, 202);
    const deliveries = () => outputOf("hooks", "deliveries", "Lou", "new-issues");
    await until("both have ended", async () => {
      const shown = await deliveries();
      return shown.includes("dispatched") && shown.includes("filtered");
    });
    const listed = JSON.parse(
      await outputOf("hooks", "deliveries", "Lou", "new-issues", "--status", "dispatched", "--json"),
    );
    const [{ id, threadId }] = listed.deliveries;
    assert.deepEqual([listed.deliveries.length, id], [1, JSON.parse(text).deliveryId]);
    const show = async (thread: string) => outputOf("workforce", "show", "Lou", thread);
    assert.match(await show(threadId), /Why: disk full\?/);

    await outputOf("hooks", "update", "Lou", "new-issues", "--message", "Again: {{ALERT}}");
    const again = (await outputOf("hooks", "replay", "Lou", "new-issues", id)).trim();
    assert.match(again, /^hdl_/);
    await until("it is carried out", async () => new RegExp(`${again} +dispatched`).test(await deliveries()));
  });

  test("an address without a hook, a disabled one, and a wrong signature get the same response, and a body beyond 1 MiB is 413", async () => {
    const created = JSON.parse(await outputOf(...create, "--slug", "second", "--message", "m", "--json"));
    const address = new URL(created.url, workplace.url).href;
    const wrong = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
    const refused = [
      await post(address, "{}", wrong),
      await post(`${address.slice(0, -4)}0000`, "{}"),
      await post(address, "", wrong),
    ];
    assert.equal(await outputOf("hooks", "update", "Lou", "second", "--disable"), "second is disabled.\n");
    assert.match(await outputOf("hooks", "list", "Lou"), /second +New issues +github +disabled/);
    refused.push(await post(address, "{}"));
    const bodies = refused.map(({ text }) => JSON.stringify({ ...JSON.parse(text), requestId: "" }));
    assert.deepEqual(
      [new Set(refused.map(({ status }) => status)), new Set(bodies).size],
      [new Set([404]), 1],
    );
    assert.equal(await outputOf("hooks", "update", "Lou", "second", "--enable"), "second is enabled.\n");
    assert.equal((await post(address, Buffer.alloc(2 * 1024 * 1024, " "))).status, 413);
    assert.equal((await post(address, "no JSON")).status, 400);
    const shown = await outputOf("hooks", "show", "Lou", "second");
    assert.ok(shown.includes(address) && !shown.includes(secret));
    await outputOf("hooks", "delete", "Lou", "second", "--yes");
    assert.equal((await workplace.run(["hooks", "show", "Lou", "second"])).code, 1);
    assert.equal((await workplace.run([...create.slice(0, -2), "--message", "{{#if A}}"])).code, 2);
  });
});
