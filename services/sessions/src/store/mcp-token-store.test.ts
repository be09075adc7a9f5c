import assert from "node:assert/strict";
import { createIds, ManualClock, Secret } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { describe, test } from "vitest";
import { createMcpTokenStore } from "./mcp-token-store.ts";

const signal = AbortSignal.timeout(600_000);
const token = {
  accessToken: new Secret("access-1234567890"),
  issuer: "https://idp.example",
  issuedAt: 1,
  expiresAt: 2,
  resourceMetadataUrl: undefined,
  scope: "read",
};

async function start(t: TestScope) {
  const { db } = await openTestStore(t);
  const clock = new ManualClock(Date.now());
  const newId = createIds();
  const instance = () => createMcpTokenStore(db, { clock, newId });
  return { db, clock, one: instance(), two: instance() };
}

describe("the tokens of MCP servers", () => {
  test("one instance reads the token that another has stored, and only with the same credentials", async (t) => {
    const { one, two } = await start(t);
    await one.put("credentials", token);
    const found = await two.get("credentials");
    assert.equal(found?.accessToken.reveal(), token.accessToken.reveal());
    assert.deepEqual(
      { ...found, accessToken: "" },
      { ...JSON.parse(JSON.stringify(token)), accessToken: "" },
    );
    assert.equal(await two.get("other credentials"), undefined);
  });

  test("the store contains neither the token nor the key of the credentials in plain text", async (t) => {
    const { db, one } = await start(t);
    await one.put("credentials", token);
    const stored = JSON.stringify(await db.collection("mcp_tokens").find().toArray());
    assert.ok(stored.length > 100);
    assert.doesNotMatch(stored, /access-1234567890|credentials/);
  });

  test("a token is renewed once at a time, on whichever instance", async (t) => {
    const { one, two } = await start(t);
    let [running, most, done] = [0, 0, 0];
    const renew = async () => {
      running += 1;
      most = Math.max(most, running);
      await one.get("credentials");
      running -= 1;
      done += 1;
    };
    await Promise.all([one, two, one, two].map((store) => store.lock("credentials", renew, signal)));
    assert.deepEqual([most, done], [1, 4]);
  });

  test("an instance that died while it renewed delays the next one by the time of its lease only", async (t) => {
    const { one, two, clock } = await start(t);
    const never = new Promise<void>(() => {});
    void one.lock("credentials", () => never, signal);
    const stopped = AbortSignal.abort(new Error("The caller has left."));
    await assert.rejects(
      two.lock("credentials", async () => assert.fail(), stopped),
      /has left|aborted/,
    );
    clock.advance(30_001);
    assert.equal(await two.lock("credentials", async () => "renewed", signal), "renewed");
  });

  test("the lock is free after work that has failed", async (t) => {
    const { one, two } = await start(t);
    const fails = one.lock(
      "credentials",
      async () => Promise.reject(new Error("The issuer is down.")),
      signal,
    );
    await assert.rejects(fails, /issuer is down/);
    assert.equal(await two.lock("credentials", async () => 1, signal), 1);
  });
});
