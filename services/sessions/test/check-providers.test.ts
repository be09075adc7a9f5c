import assert from "node:assert/strict";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ProjectKeys, ProviderCheck } from "@muster/models";
import { ProviderStatus } from "@muster/proto/sessions";
import type { TestScope } from "@muster/testing";
import { test } from "vitest";
import { startWorld } from "./support/harness.ts";

const checks: ProviderCheck[] = [
  { name: "anthropic", status: "ok", checkedAtMs: 1_234 },
  { name: "openai", status: "key_refused", message: "Refused.", checkedAtMs: 1_235 },
  { name: "google", status: "unreachable", message: "Gone.", checkedAtMs: 1_236 },
  { name: "xai", status: "not_configured", message: "Set it." },
  { name: "demo", status: "ok" },
];

async function start(t: TestScope) {
  const world = await startWorld(t);
  const models = { ...world.createModels(), checkProviders: async () => checks };
  const { client } = await world.addInstance({}, { models });
  return { world, client };
}

test("every provider is reported with its status, message and time of the check", async (t) => {
  const { world, client } = await start(t);
  const { providers } = await client.checkProviders({}, world.as());
  assert.deepEqual(
    providers.map(({ name, status, message, checkedAt }) => [
      name,
      status,
      message,
      checkedAt && timestampMs(checkedAt),
    ]),
    [
      ["anthropic", ProviderStatus.OK, "", 1_234],
      ["openai", ProviderStatus.KEY_REFUSED, "Refused.", 1_235],
      ["google", ProviderStatus.UNREACHABLE, "Gone.", 1_236],
      ["xai", ProviderStatus.NOT_CONFIGURED, "Set it.", undefined],
      ["demo", ProviderStatus.OK, "", undefined],
    ],
  );
});

test("providers are checked with the keys of the caller's own project", async (t) => {
  const world = await startWorld(t);
  const unreadable = { problem: "It cannot be decrypted." };
  world.auth.set("prj_other", { openai: unreadable });
  const asked: Array<ProjectKeys | undefined> = [];
  const checkProviders = async (keys?: ProjectKeys): Promise<readonly ProviderCheck[]> => {
    asked.push(keys);
    return [{ name: "openai", status: "key_refused", usesProjectKey: true }];
  };
  const { client } = await world.addInstance({}, { models: { ...world.createModels(), checkProviders } });
  const { providers } = await client.checkProviders({}, world.as({ projectId: "prj_other" }));
  await client.checkProviders({}, world.as());
  assert.deepEqual(asked, [new Map([["openai", unreadable]]), new Map()]);
  assert.equal(providers[0]?.usesProjectKey, true);
});
