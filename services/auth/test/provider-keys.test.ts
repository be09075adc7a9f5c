import assert from "node:assert/strict";
import { platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

const secretsKey = "ab".repeat(32);
const apiKey = "sk-0123456789-the-secret-WXYZ";

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;

async function start(t: Parameters<typeof startAuth>[0], options: { secretsKey?: string } = { secretsKey }) {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world, undefined, options);
  return { world, client };
}

type Client = Awaited<ReturnType<typeof start>>["client"];

const platform = (world: World) => as(world, platformPrincipal);

async function keysOf(client: Client, world: World, projectId: string) {
  const { providerKeys } = await client.resolveProviderKeys({ projectId }, platform(world));
  return Object.fromEntries(providerKeys.map(({ provider, result }) => [provider, result.value]));
}

async function addProject(client: Client, world: World): Promise<string> {
  return (await client.createProject({ name: "p" }, as(world))).project?.id ?? "";
}

function collection(world: World) {
  return world.store.db.client
    .db(`${world.store.databasePrefix}_auth`)
    .collection<{ _id: string }>("provider_keys");
}

describe("a project's keys for model providers", () => {
  test("a key is listed by its end and its times, resolved for its own project only, and replaced in place", async (t) => {
    const { world, client } = await start(t);
    const other = await addProject(client, world);
    await client.setProviderKey({ projectId: "default", provider: "openai", key: apiKey }, as(world));
    const createdMs = world.clock.now();
    world.clock.advance(1_000);
    await client.setProviderKey({ projectId: "default", provider: "openai", key: "short" }, as(world));
    await client.setProviderKey({ projectId: "default", provider: "anthropic", key: apiKey }, as(world));
    const { providerKeys } = await client.listProviderKeys({ projectId: "default" }, as(world));
    assert.deepEqual(
      providerKeys.map(({ provider, lastFour }) => [provider, lastFour]),
      [
        ["anthropic", "WXYZ"],
        ["openai", ""],
      ],
    );
    const openai = providerKeys[1];
    assert.equal(Number(openai?.createdAt?.seconds), Math.floor(createdMs / 1_000));
    assert.equal(Number(openai?.updatedAt?.seconds), Math.floor(createdMs / 1_000) + 1);
    assert.deepEqual(await keysOf(client, world, "default"), { anthropic: apiKey, openai: "short" });
    assert.deepEqual(await keysOf(client, world, other), {});
    assert.deepEqual((await client.listProviderKeys({ projectId: other }, as(world))).providerKeys, []);
  });

  test("a deleted key is gone, deleting it again succeeds, and a later key is a new one", async (t) => {
    const { world, client } = await start(t);
    const name = { projectId: "default", provider: "openai" };
    await client.setProviderKey({ ...name, key: apiKey }, as(world));
    assert.deepEqual(
      [
        (await client.deleteProviderKey(name, as(world))).deleted,
        (await client.deleteProviderKey(name, as(world))).deleted,
      ],
      [true, false],
    );
    assert.deepEqual(await keysOf(client, world, "default"), {});
    assert.ok(!JSON.stringify(await collection(world).find().toArray()).includes("sealed"));
    world.clock.advance(60_000);
    const { providerKey } = await client.setProviderKey({ ...name, key: apiKey }, as(world));
    assert.deepEqual(providerKey?.createdAt, providerKey?.updatedAt);
  });

  test("twenty keys that are set at once for one provider leave one of them", async (t) => {
    const { world, client } = await start(t);
    const keys = Array.from({ length: 20 }, (_, index) => `${apiKey}${index}`);
    const set = (key: string) =>
      client.setProviderKey({ projectId: "default", provider: "openai", key }, as(world));
    await Promise.all(keys.map(set));
    const found = await keysOf(client, world, "default");
    assert.ok(keys.includes(String(found.openai)));
    assert.equal(await collection(world).countDocuments(), 1);
  });

  test("every change publishes an event with the project and without the key", async (t) => {
    const { world, client } = await start(t);
    const events: unknown[] = [];
    await world.bus.subscribe("auth.provider-keys-changed", { broadcast: true }, async (event) => {
      events.push(event);
    });
    const name = { projectId: "default", provider: "openai" };
    await client.setProviderKey({ ...name, key: apiKey }, as(world));
    await client.deleteProviderKey(name, as(world));
    await until(() => events.length === 2);
    assert.deepEqual(events, [{ projectId: "default" }, { projectId: "default" }]);
  });

  test("neither the database nor the log contains a key", async (t) => {
    const world = await createWorld(t);
    const lines: string[] = [];
    const log = createLogger({
      name: "auth",
      level: "debug",
      destination: { write: (line) => void lines.push(line) },
    });
    const { client } = await startAuth(t, world, undefined, { secretsKey, log });
    const name = { projectId: "default", provider: "openai" };
    await client.setProviderKey({ ...name, key: apiKey }, as(world));
    await assert.rejects(client.setProviderKey({ ...name, key: `${apiKey} ` }, as(world)));
    await keysOf(client, world, "default");
    await collection(world).updateOne({ _id: "default/openai" }, { $set: { "sealed.tag": "AAAA" } });
    await keysOf(client, world, "default");
    const stored = JSON.stringify(await collection(world).find().toArray());
    assert.ok(stored.includes("WXYZ"));
    const secretPart = apiKey.slice(0, -4);
    for (const text of [stored, lines.join("")]) {
      for (const form of [secretPart, Buffer.from(apiKey).toString("base64").slice(0, 24)]) {
        assert.ok(!text.includes(form));
      }
    }
    assert.match(lines.join(""), /cannot be decrypted/);
  });
});

describe("who may use the keys", () => {
  test("a key that no header can carry, and a name that is none, are refused without being repeated", async (t) => {
    const { world, client } = await start(t);
    for (const key of ["", " ", "a b", "a\n", "a\u0000", "ä", "😀", "a".repeat(4_097)]) {
      const call = client.setProviderKey({ projectId: "default", provider: "openai", key }, as(world));
      await assert.rejects(call, (error) => {
        const { reason, issues, message } = readRpcError(error);
        assert.ok(key.trim().length < 3 || !message.includes(key));
        return reason === Reason.INVALID_REQUEST && issues[0]?.path === "key";
      });
    }
    for (const provider of ["", "OpenAI", "a/b", "$where", "__proto__", "x".repeat(33)]) {
      for (const call of [
        () => client.setProviderKey({ projectId: "default", provider, key: apiKey }, as(world)),
        () => client.deleteProviderKey({ projectId: "default", provider }, as(world)),
      ]) {
        await assert.rejects(call(), refused(Reason.INVALID_REQUEST));
      }
    }
    await client.setProviderKey(
      { projectId: "default", provider: "openai", key: "a".repeat(4_096) },
      as(world),
    );
  });
});

describe("the secrets key", () => {
  test("without one, a key is refused with the variable to set, and everything else works", async (t) => {
    const { world, client } = await start(t, {});
    const call = client.setProviderKey({ projectId: "default", provider: "openai", key: apiKey }, as(world));
    await assert.rejects(call, (error) => {
      const { reason, message } = readRpcError(error);
      return reason === Reason.INVALID_REQUEST && message.includes("MUSTER_SECRETS_KEY");
    });
    assert.deepEqual((await client.listProviderKeys({ projectId: "default" }, as(world))).providerKeys, []);
    assert.deepEqual(await keysOf(client, world, "default"), {});
    const name = { projectId: "default", provider: "openai" };
    assert.equal((await client.deleteProviderKey(name, as(world))).deleted, false);
  });

  test("a rotated key still opens what the old one encrypted; a missing one is a problem of that provider only", async (t) => {
    const { world, client } = await start(t);
    const newer = "cd".repeat(32);
    await client.setProviderKey({ projectId: "default", provider: "openai", key: apiKey }, as(world));
    const rotated = await startAuth(t, world, undefined, { secretsKey: `${newer},${secretsKey}` });
    await rotated.client.setProviderKey({ projectId: "default", provider: "xai", key: "xai-1" }, as(world));
    assert.deepEqual(await keysOf(rotated.client, world, "default"), { openai: apiKey, xai: "xai-1" });
    const onlyNewer = await startAuth(t, world, undefined, { secretsKey: newer });
    const found = await keysOf(onlyNewer.client, world, "default");
    assert.equal(found.xai, "xai-1");
    assert.match(String(found.openai), /project default for openai .*MUSTER_SECRETS_KEY/);
  });

  test("a key that was moved to another project in the store cannot be read there", async (t) => {
    const { world, client } = await start(t);
    const other = await addProject(client, world);
    await client.setProviderKey({ projectId: "default", provider: "openai", key: apiKey }, as(world));
    const stored = await collection(world).findOne({ _id: "default/openai" });
    assert.ok(stored);
    await collection(world).insertOne({ ...stored, _id: `${other}/openai`, projectId: other } as {
      _id: string;
    });
    const found = await keysOf(client, world, other);
    assert.match(String(found.openai), /is damaged/);
    assert.ok(String(found.openai).includes(other));
  });
});
