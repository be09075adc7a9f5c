import assert from "node:assert/strict";
import { Secret } from "@muster/service";
import { describe, test } from "vitest";
import { say, serve } from "../../test/support/fake-provider.ts";
import { createModels, type ProviderCheck, readModelsConfig } from "../index.ts";

const platformKey = "sk-of-the-platform-0123";
const ownKey = "sk-of-the-project-0123";
const accepted = say(200, { data: [] });

/** OpenAI at a server that refuses the keys that are given. */
async function start(t: Parameters<typeof serve>[0], refused: readonly string[] = []) {
  const server = await serve(t, (request, response) => {
    const isRefused = refused.some((key) => request.headers.authorization === `Bearer ${key}`);
    const answer = isRefused ? say(401, { error: { message: "Incorrect API key" } }) : accepted;
    answer(request, response);
  });
  const { checkProviders } = createModels(
    readModelsConfig({ OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: platformKey }),
  );
  const keysSent = () => server.requests.map(({ headers }) => headers.authorization).toSorted();
  return { checkProviders, keysSent };
}

function openaiIn(checks: readonly ProviderCheck[]) {
  const found = checks.find(({ name }) => name === "openai");
  assert.ok(found);
  const { status, message, usesProjectKey } = found;
  return { status, message, usesProjectKey };
}

const ok = { status: "ok", message: undefined } as const;

describe("the check of a provider for which a project has its own key", () => {
  test("it sends that key, and the platform's for other projects, each once in 30 s", async (t) => {
    const { checkProviders, keysSent } = await start(t);
    const keys = new Map([["openai", new Secret(ownKey)]]);
    assert.deepEqual(openaiIn(await checkProviders()), { ...ok, usesProjectKey: undefined });
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(openaiIn(await checkProviders(keys)), { ...ok, usesProjectKey: true });
    }
    assert.deepEqual(openaiIn(await checkProviders(new Map())), { ...ok, usesProjectKey: undefined });
    assert.deepEqual(keysSent(), [`Bearer ${platformKey}`, `Bearer ${ownKey}`].toSorted());
  });

  test("a refusal of one key says whose it is and is not the result of another", async (t) => {
    const { checkProviders } = await start(t, [ownKey]);
    const own = openaiIn(await checkProviders(new Map([["openai", new Secret(ownKey)]])));
    assert.deepEqual([own.status, own.usesProjectKey], ["key_refused", true]);
    assert.match(own.message ?? "", /the project's key/);
    assert.doesNotMatch(own.message ?? "", /OPENAI_API_KEY|sk-of/);
    assert.equal(openaiIn(await checkProviders()).status, "ok");
    const replaced = new Map([["openai", new Secret("sk-new-of-the-project")]]);
    assert.equal(openaiIn(await checkProviders(replaced)).status, "ok");
  });

  test("a key that cannot be read is refused with its reason, even if the platform's works", async (t) => {
    const { checkProviders } = await start(t);
    const unreadable = new Map([["openai", { problem: "It cannot be decrypted." }]]);
    assert.deepEqual(openaiIn(await checkProviders(unreadable)), {
      ...{ status: "key_refused", message: "It cannot be decrypted.", usesProjectKey: true },
    });
  });
});
