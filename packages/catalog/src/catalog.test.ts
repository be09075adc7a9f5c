import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { modelIdPattern, modelProviders } from "@muster/language";
import { describe, test } from "vitest";
import { createCatalog } from "./catalog.ts";

const at = (date: string) => ({ now: () => Date.parse(date) });
const catalog = createCatalog({ bandwidthPer1M: "0.050", clock: at("2026-11-01") });
const entry = (id: string, from = catalog) => from.entries.find((candidate) => candidate.id === id);

describe("entries of the catalog", () => {
  const published: Array<[id: string, input: string, output: string, cacheRead: string | null]> = [
    ["anthropic/claude-haiku-4-5", "1", "5", "0.1"],
    ["openai/gpt-4o-mini", "0.15", "0.6", "0.075"],
    ["google/gemini-2.5-flash-lite", "0.1", "0.4", "0.01"],
    ["xai/grok-3-mini", "0.3", "0.5", "0.075"],
    ["aggregator/openai/gpt-5", "1.25", "10", "0.125"],
    ["aggregator/deepseek/deepseek-r1:free", "0", "0", null],
    ["demo/echo", "0", "0", null],
  ];
  for (const [id, inputPer1M, outputPer1M, cacheReadPer1M] of published) {
    test(`the entry ${id} has its published prices`, () => {
      const pricing = entry(id)?.pricing;
      assert.deepEqual(
        [pricing?.inputPer1M, pricing?.outputPer1M, pricing?.cacheReadPer1M, pricing?.tiers],
        [inputPer1M, outputPer1M, cacheReadPer1M, []],
      );
    });
  }

  test("an entry has exactly the fields of the API", () => {
    assert.deepEqual(entry("anthropic/claude-sonnet-4-5"), {
      id: "anthropic/claude-sonnet-4-5",
      name: "Claude Sonnet 4.5",
      provider: "anthropic",
      routing: "direct",
      contextLength: 200_000,
      pricing: {
        inputPer1M: "3",
        outputPer1M: "15",
        cacheReadPer1M: "0.3",
        reasoningPer1M: null,
        bandwidthPer1M: "0.05",
        tiers: [{ minInputTokens: 200_001, inputPer1M: "6", outputPer1M: "22.5" }],
      },
    });
    const researcher = entry("aggregator/perplexity/sonar-deep-research");
    assert.equal(researcher?.routing, "aggregator");
    assert.equal(researcher?.pricing.reasoningPer1M, "3");
  });

  test("every entry of the data set is well formed", () => {
    const decimal = /^(0|[1-9]\d*)(\.\d*[1-9])?$/;
    for (const { id, name, provider, routing, contextLength, pricing } of catalog.entries) {
      assert.match(id, modelIdPattern);
      assert.ok(id.length <= 200, id);
      assert.equal(provider, id.split("/")[0]);
      assert.equal(routing, provider === "aggregator" ? "aggregator" : "direct");
      assert.match(name, /\S/);
      assert.ok(contextLength === null || (Number.isInteger(contextLength) && contextLength > 0), id);
      const { tiers, cacheReadPer1M, reasoningPer1M, ...flat } = pricing;
      const optional = [cacheReadPer1M, reasoningPer1M].filter((price) => price !== null);
      const inTiers = tiers.flatMap(({ inputPer1M, outputPer1M }) => [inputPer1M, outputPer1M]);
      for (const price of [...Object.values(flat), ...optional, ...inTiers]) assert.match(price, decimal, id);
      const starts = tiers.map(({ minInputTokens }) => minInputTokens);
      assert.deepEqual(
        starts,
        [...new Set(starts)].sort((a, b) => a - b),
        id,
      );
    }
  });

  test("the entries are sorted by unique ids", () => {
    const ids = catalog.entries.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
  });

  test("every provider except local has listed models", () => {
    const providers = new Set(catalog.entries.map(({ provider }) => provider));
    assert.deepEqual([...providers, "local"].sort(), [...modelProviders].sort());
    for (const provider of providers) {
      const count = catalog.entries.filter((listed) => listed.provider === provider).length;
      assert.ok(count >= (provider === "demo" ? 1 : 5), `${provider} has ${count}`);
    }
  });

  test("an entry is frozen", () => {
    assert.ok(Object.isFrozen(catalog.entries));
    for (const listed of catalog.entries) {
      const { pricing } = listed;
      for (const part of [listed, pricing, pricing.tiers, ...pricing.tiers]) assert.ok(Object.isFrozen(part));
    }
  });

  test("a dated price takes effect on its date in an existing catalog", () => {
    let now = Date.parse("2026-03-12T23:59:59Z");
    const open = createCatalog({ clock: { now: () => now } });
    const before = open.entries;
    assert.equal(entry("anthropic/claude-opus-4-6", open)?.pricing.tiers.length, 1);
    assert.equal(open.entries, before);
    now += 1_000;
    assert.notEqual(open.entries, before);
    assert.deepEqual(entry("anthropic/claude-opus-4-6", open)?.pricing.tiers, []);
  });

  test("a model that is not a language model is not listed", () => {
    const others = /embedding|whisper|-tts$|transcribe|moderation|realtime|gpt-image|voice/;
    assert.deepEqual(
      catalog.entries.map(({ id }) => id).filter((id) => others.test(id)),
      [],
    );
  });

  test("a model without a published name has a name made from its id", () => {
    const names = ["aggregator/allenai/molmo-7b-d:free", "openai/gpt-5-pro"].map((id) => entry(id)?.name);
    assert.deepEqual(names, ["Molmo 7b D (free)", "GPT 5 Pro"]);
  });
});

describe("looking up an id", () => {
  const known = [
    "anthropic/claude-sonnet-4-5-20250929",
    "anthropic/claude-opus-4-6",
    "openai/gpt-4.1-2025-04-14",
    "openai/gpt-5.6-sol-20260101",
    "openai/ft:gpt-4o-2024-08-06:acme::abc",
    "google/gemini-3.1-flash-lite-preview-01",
    "xai/grok-4-latest",
    "aggregator/anthropic/claude-3.5-haiku:beta",
    "local/anything",
    "local/qwen3:8b",
    "demo/echo",
  ];
  const unknown = [
    "anthropic/gpt-5",
    "openai/gpt-99",
    "openai/whisper-1",
    "openai/text-embedding-3-small",
    "google/claude-sonnet-4-5",
    "aggregator/no-such/model",
    "demo/other",
    "local/",
    "local",
    "nobody/gpt-5",
    "x-ai/grok-4",
    "openrouter/openai/gpt-5",
    "constructor/x",
    "gpt-5",
    "/gpt-5",
    "",
  ];
  for (const id of known) test(`the id ${id} is known`, () => assert.equal(catalog.knows(id), true));
  for (const id of unknown)
    test(`the id ${JSON.stringify(id)} is unknown`, () => assert.equal(catalog.knows(id), false));

  test("every entry of the catalog is known by its id", () => {
    for (const { id } of catalog.entries) {
      assert.ok(catalog.knows(id), id);
      assert.equal(catalog.nameOf(id), id);
    }
  });

  // Trying every way to split such an id would outlast the test's timeout.
  test("long and hostile ids are looked up quickly", () => {
    const parts = ["-", "tts-", "gemini-2.5-pro-", "claude-fable-5-", "0", "2025-01-01-", "a".repeat(20)];
    const makes = parts.map((part) => part.repeat(200 / part.length));
    for (const provider of ["google", "anthropic", "openai", "xai", "aggregator"]) {
      for (const make of makes) {
        assert.equal(typeof catalog.knows(`${provider}/${make}`.slice(0, 200)), "boolean");
        assert.equal(catalog.knows(`${provider}/${make.repeat(5_000)}`), false);
      }
    }
  });
});

test("the version of the prices names the data set that is installed", async () => {
  const path = new URL("../../../node_modules/@pydantic/genai-prices/package.json", import.meta.url);
  const installed: { version: string } = JSON.parse(await readFile(path, "utf8"));
  assert.equal(createCatalog().priceVersion, `genai-prices ${installed.version}`);
});

test("a model has one name, whatever id it is called by, and unknown ones have none", () => {
  const { nameOf } = catalog;
  assert.equal(nameOf("anthropic/claude-sonnet-4-5-20250929"), nameOf("anthropic/claude-sonnet-4-5"));
  for (const id of ["local/a", "local/b:7b", "local/__proto__"]) assert.equal(catalog.nameOf(id), "local/*");
  for (const id of ["local/", "nobody/model", "", "__proto__/x", "openai/no-such-model"])
    assert.equal(catalog.nameOf(id), undefined, id);
});
