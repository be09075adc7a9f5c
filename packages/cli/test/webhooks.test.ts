import assert from "node:assert/strict";
import { serve, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster webhooks", () => {
  const scope = suiteScope();
  const received: Array<{ headers: Record<string, string>; body: string }> = [];
  let workplace: Workplace;
  let url: string;
  beforeAll(async () => {
    workplace = await startWorkplace(scope, { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });
    url = await serve(scope, async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      received.push({ headers: Object.fromEntries(headers), body });
      response.writeHead(204).end();
    });
  });

  async function outputOf(...args: string[]): Promise<string> {
    const { code, out, err } = await workplace.run(args);
    assert.equal(code, 0, err);
    return out;
  }

  const verified = (index: number, secret: string): unknown => {
    const { headers, body } = received[index] ?? { headers: {}, body: "" };
    return new Webhook(secret).verify(body, headers);
  };

  test("a run of a real agent reaches a real receiver, signed; its delivery is listed, replayed and signed with a new secret", async () => {
    const created = await outputOf("webhooks", "create", url, "--event", "thread.completed", "--quiet");
    assert.match(created, /^whsec_[\w+/]+=*\n$/);
    const secret = created.trim();
    await outputOf("workforce", "hire", "log-analyst", "--name", "Lou", "--quiet");
    const run = JSON.parse(await outputOf("workforce", "run", "Lou", "Which failed?", "--wait", "--json"));
    await until("the event arrives", () => received.length === 1);
    const event = verified(0, secret);
    assert.ok(typeof event === "object" && event !== null && "data" in event && "type" in event);
    assert.equal(event.type, "thread.completed");
    assert.ok(JSON.stringify(event.data).includes(String(run.threadId)), JSON.stringify(run));

    const [id = ""] = /whk_\w+/.exec(await outputOf("webhooks", "list")) ?? [];
    const listed = () => outputOf("webhooks", "deliveries", id, "--status", "delivered");
    await until("it is listed as delivered", async () => (await listed()).includes("thread.completed"));
    assert.match(await listed(), /^ID .*\ndlv_\w+ +thread\.completed +delivered +1 +HTTP 204/);
    const rotated = (await outputOf("webhooks", "rotate", id)).trim();
    const [delivery = ""] = /dlv_\w+/.exec(await listed()) ?? [];
    assert.equal(await outputOf("webhooks", "replay", id, delivery), `${delivery} is sent again.\n`);
    await until("it arrives again", () => received.length === 2);
    for (const key of [secret, rotated]) assert.deepEqual(verified(1, key), event);
    assert.match(await outputOf("webhooks", "test", id), /^ok {2}HTTP 204 after \d+ ms\n$/);
  });

  test("an unreachable receiver fails the test, a webhook is switched off and on, and deleted", async () => {
    const gone = `${url.slice(0, url.lastIndexOf(":"))}:9`;
    const { id } = JSON.parse(
      await outputOf("webhooks", "create", gone, "--event", "thread.failed", "--json"),
    );
    const tested = await workplace.run(["webhooks", "test", id]);
    assert.deepEqual([tested.code, /^failed {2}\S.*\.\n$/.test(tested.out)], [1, true], tested.out);
    assert.equal(
      await outputOf("webhooks", "update", id, "--disable"),
      `${id} is disabled and sends thread.failed.\n`,
    );
    assert.match(await outputOf("webhooks", "list"), new RegExp(`${id} .* disabled`));
    const more = ["--enable", "--receiver", url, "--event", "thread.blocked"];
    assert.equal(
      await outputOf("webhooks", "update", id, ...more),
      `${id} is enabled and sends thread.blocked.\n`,
    );
    await outputOf("webhooks", "delete", id, "--yes");
    assert.equal((await workplace.run(["webhooks", "test", id])).code, 1);
    const project = await outputOf("webhooks", "rotate", "--callbacks", "default");
    assert.match(project, /^whsec_/);
  });

  test("the audit log lists the changes of the commands, and is intact", async () => {
    const created = async () =>
      (await outputOf("audit", "list", "--action", "webhook.create", "--json")).includes("whk_");
    await until("the log has the webhook", created);
    assert.match(await outputOf("audit", "list", "--limit", "5"), /^TIME +ACTION +TARGET/);
    const verified = await outputOf("audit", "verify");
    assert.match(verified, /^\d+ entries are intact\. .*: \d+:[0-9a-f]{64}\n$/);
    assert.match(
      await outputOf("audit", "verify", "--expect", verified.trim().split(" ").at(-1) ?? ""),
      /intact/,
    );
  });
});
