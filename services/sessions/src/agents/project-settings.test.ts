import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import type { ProjectKeys } from "@muster/models";
import { type ResolveProviderKeysResponse, ResolveProviderKeysResponseSchema } from "@muster/proto/auth";
import { createPrincipalSigner, Reason, readRpcError } from "@muster/rpc";
import { ManualClock, Secret } from "@muster/service";
import { describe, test } from "vitest";
import { createProjectSettingsCache } from "./project-settings.ts";

/** An auth service whose answers are given by hand. */
function startCache() {
  const clock = new ManualClock();
  const asked: Array<PromiseWithResolvers<ResolveProviderKeysResponse>> = [];
  const cache = createProjectSettingsCache({
    auth: {
      resolveProviderKeys: () => {
        const answer = Promise.withResolvers<ResolveProviderKeysResponse>();
        asked.push(answer);
        return answer.promise;
      },
    },
    signer: createPrincipalSigner([new Secret("0123456789abcdef0123456789abcdef")], clock),
    clock,
    newId: () => "req_1",
  });
  /** Answers a question, in the order in which they were asked. */
  const answer = (index: number, key: string, approvals: Record<string, string> = {}) =>
    asked[index]?.resolve(
      create(ResolveProviderKeysResponseSchema, {
        providerKeys: [{ provider: "openai", result: { case: "key", value: key } }],
        approvals,
      }),
    );
  const fail = (index: number) => asked[index]?.reject(new Error("the auth service is down"));
  return { clock, cache, asked, answer, fail };
}

function openaiKey(keys: ProjectKeys): string {
  const key = keys.get("openai");
  assert.ok(key instanceof Secret);
  return key.reveal();
}

describe("the keys of projects for model providers", () => {
  test("turns that begin at the same time share a question, and its answer counts for 4 s from the question", async () => {
    const { clock, cache, asked, answer } = startCache();
    const both = [cache.keysOf("p1"), cache.keysOf("p1")];
    clock.advance(1_000);
    answer(0, "one");
    assert.deepEqual((await Promise.all(both)).map(openaiKey), ["one", "one"]);
    clock.advance(2_999);
    assert.equal(openaiKey(await cache.keysOf("p1")), "one");
    assert.equal(asked.length, 1);
    clock.advance(1);
    const later = cache.keysOf("p1");
    answer(1, "two");
    assert.equal(openaiKey(await later), "two");
  });

  test("an answer that was under way when the keys changed is neither kept nor shared with later turns", async () => {
    const { cache, asked, answer } = startCache();
    const before = cache.keysOf("p1");
    cache.forget("p1");
    const after = cache.keysOf("p1");
    assert.equal(asked.length, 2);
    answer(1, "new");
    assert.equal(openaiKey(await after), "new");
    answer(0, "old");
    assert.equal(openaiKey(await before), "old");
    assert.equal(openaiKey(await cache.keysOf("p1")), "new");
    assert.equal(asked.length, 2);
  });

  test("the next turn asks again after a change, and an answer from before it is not kept although no turn asked meanwhile", async () => {
    const { cache, asked, answer } = startCache();
    const before = cache.keysOf("p1");
    cache.forget("p1");
    answer(0, "old");
    await before;
    const after = cache.keysOf("p1");
    assert.equal(asked.length, 2);
    answer(1, "new");
    assert.equal(openaiKey(await after), "new");
  });

  test("a key that has not changed stays the same object, because its models are cached by it", async () => {
    const { clock, cache, answer } = startCache();
    const next = (index: number, key: string) => {
      const keys = cache.keysOf("p1");
      answer(index, key);
      clock.advance(4_000);
      return keys;
    };
    const first = (await next(0, "one")).get("openai");
    assert.equal((await next(1, "one")).get("openai"), first);
    assert.notEqual((await next(2, "other")).get("openai"), first);
  });

  test("a failed question is UNAVAILABLE and not kept, and earlier keys do not take its place", async () => {
    const { clock, cache, answer, fail } = startCache();
    const first = cache.keysOf("p1");
    answer(0, "one");
    await first;
    clock.advance(4_000);
    const second = cache.keysOf("p1");
    fail(1);
    await assert.rejects(second, (error) => readRpcError(error).reason === Reason.UNAVAILABLE);
    const third = cache.keysOf("p1");
    answer(2, "two");
    assert.equal(openaiKey(await third), "two");
  });
});

test("a project's rules of approval come with its keys, and a demand that this version does not know denies", async () => {
  const { cache, asked, answer } = startCache();
  const [keys, approvals] = [cache.keysOf("p1"), cache.toolsOf("p1")];
  answer(0, "one", { refund: "ask", "shell__*": "deny", transfer: "two-approvers" });
  assert.deepEqual((await approvals).approvals, { refund: "ask", "shell__*": "deny", transfer: "deny" });
  assert.equal(openaiKey(await keys), "one");
  assert.equal(asked.length, 1);
  cache.forget("p1");
  const later = cache.toolsOf("p1");
  answer(1, "one");
  assert.deepEqual((await later).approvals, {});
});
