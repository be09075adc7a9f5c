import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Secret } from "@muster/service";
import { describe, test } from "vitest";
import { baseUrlOf, switchVariable } from "../provider-definition.ts";
import { cacheModes, thinkingLevels } from "../provider-settings.ts";
import { providers } from "./index.ts";

const root = resolve(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(resolve(root, path), "utf8");

for (const definition of providers) {
  describe(`the provider ${definition.name}`, () => {
    const config = { apiKey: new Secret("k"), baseUrl: "http://127.0.0.1:1/v1" };

    test(`the provider ${definition.name} loads a package whose models have its package name`, async () => {
      const makeModel = await definition.load({ config, fetch: globalThis.fetch });
      const model = makeModel("some-model");
      assert.equal(model.provider.split(".", 1)[0], definition.packageName);
      assert.equal(model.modelId, "some-model");
    });

    test(`the provider ${definition.name} has model ids, variables and a default base URL that are usable`, () => {
      assert.ok(definition.modelIds.startsWith(`${definition.name}/<`));
      assert.match(definition.variablePrefix, /^[A-Z]+$/);
      const { defaultBaseUrl } = definition;
      if (defaultBaseUrl !== undefined) assert.equal(new URL(defaultBaseUrl).protocol, "https:");
      assert.ok(URL.canParse(baseUrlOf(definition, config) + definition.keyCheck.path));
    });

    test(`the provider ${definition.name} accepts every level of thinking, every cache mode and every speed`, () => {
      for (const thinking of [undefined, ...thinkingLevels])
        for (const cache of cacheModes)
          for (const speed of ["fast", "standard"] as const)
            assert.ok(
              definition.settings({
                ...{ thinking, cache, speed },
                hosted: { tools: ["web-search"], skills: [] },
                model: "some/model",
              }),
            );
    });

    test(`the provider ${definition.name} sends its key in a header and nowhere else`, () => {
      const { path, keyHeaders, headers } = definition.keyCheck;
      assert.match(path, /^\/[a-z]+/);
      assert.ok(Object.values(keyHeaders("the-key")).some((value) => value.includes("the-key")));
      assert.doesNotMatch(path + JSON.stringify(headers ?? {}), /the-key/);
    });
  });
}

test("no two providers share a name, a variable prefix or a package", () => {
  for (const field of ["name", "variablePrefix", "packageName"] as const)
    assert.equal(new Set(providers.map((definition) => definition[field])).size, providers.length, field);
});

describe("documentation of the providers", () => {
  const columns = (line: string) => line.split("|").map((cell) => cell.trim());
  const rowsIn = (text: string) => text.split("\n").filter((line) => line.startsWith("| `"));
  const quoted = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

  for (const [path, heading] of [
    ["README.md", "\n## Models\n"],
    ["packages/models/README.md", "\n## Providers\n"],
  ] as const) {
    test(`the models table of ${path} has a row for each provider and for demo/echo, with the variable to set`, () => {
      const [, section = ""] = read(path).split(heading);
      const rows = rowsIn(section.split("\n## ", 1)[0] ?? "").map(columns);
      const written = rows.flatMap(([, ids]) => quoted(ids));
      const expected = [...providers.map(({ name }) => `${name}/…`), "demo/echo"];
      assert.deepEqual(written.toSorted(), expected.toSorted());
      for (const definition of providers) {
        const row = rows.find(([, ids]) => quoted(ids).includes(`${definition.name}/…`));
        assert.ok(quoted(row?.[2]).includes(switchVariable(definition)), definition.name);
      }
    });
  }

  test("docs/configuration.md lists the variables of exactly these providers, and the model ids they switch on", () => {
    const [, section = ""] = read("docs/configuration.md").split("\n## Model providers\n");
    const rows = rowsIn(section.split("\n## ", 1)[0] ?? "");
    const written = rows.flatMap((row) => quoted(columns(row)[1]));
    const ofProviders = written.filter((name) => /_(?:API_KEY|BASE_URL|API)$/.test(name));
    const expected = providers.flatMap(({ variablePrefix, interfaces }) => [
      `${variablePrefix}_API_KEY`,
      `${variablePrefix}_BASE_URL`,
      ...(interfaces ? [interfaces.variable] : []),
    ]);
    assert.deepEqual(ofProviders.toSorted(), expected.toSorted());
    const modelIds = rows.flatMap((row) => quoted(row)).filter((name) => name.endsWith("/…"));
    assert.deepEqual([...new Set(modelIds)].toSorted(), providers.map(({ name }) => `${name}/…`).toSorted());
  });
});
