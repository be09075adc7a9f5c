import assert from "node:assert/strict";
import { test } from "vitest";
import { createCatalog } from "./catalog.ts";
import { dataSetIds } from "./models.ts";
import { corrections, ownModels, unlistedProviders, unsuited } from "./overlay.ts";
import type { PublishedModel } from "./published.ts";
import { readProvider } from "./read-provider.ts";

const catalog = createCatalog();
const listed = new Map(catalog.entries.map((entry) => [entry.id, entry]));
const published = new Map(
  Object.entries(dataSetIds).flatMap(([provider, id]) =>
    readProvider(id).models.map((model): [string, PublishedModel] => [`${provider}/${model.id}`, model]),
  ),
);

for (const [id, correction] of Object.entries(corrections)) {
  test(`the correction of ${id} is needed and takes effect`, () => {
    for (const [field, value] of Object.entries(correction)) {
      assert.notEqual({ ...published.get(id) }[field], value, "the data set already agrees");
      assert.equal({ ...listed.get(id) }[field], value);
    }
  });
}

for (const { ids, because } of unsuited) {
  test(`the pattern ${ids} leaves out a model, which ${because}`, () => {
    const matching = [...published.keys()].filter((id) => ids.test(id));
    assert.notEqual(matching.length, 0);
    for (const id of matching) assert.deepEqual([listed.has(id), catalog.knows(id)], [false, false], id);
  });
}

test("Muster's own models are listed, and providers without a list have no entry", () => {
  for (const { id } of ownModels) assert.ok(listed.has(id), id);
  for (const { provider } of catalog.entries) assert.ok(!unlistedProviders.includes(provider));
});
