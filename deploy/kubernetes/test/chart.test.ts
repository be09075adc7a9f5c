import assert from "node:assert/strict";
import { beforeAll, describe, test } from "vitest";
import { chart, type Manifest, render, runHelm } from "./support/helm.ts";
import { isRecord } from "./support/records.ts";
import { problemsOf } from "./support/schemas.ts";
import { minimal, valueSets } from "./support/value-sets.ts";

const idOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

for (const [name, values] of Object.entries(valueSets)) {
  describe(`the chart with values: ${name}`, () => {
    test(`helm lint accepts the values ${name} without a warning`, async () => {
      const report = await runHelm(["lint", "--strict", chart, "--values", "-"], JSON.stringify(values));
      assert.match(report, /1 chart\(s\) linted, 0 chart\(s\) failed/);
    });

    test(`the values ${name} render only objects that Kubernetes accepts, with no field that it would drop`, async () => {
      const manifests = await render(values);
      assert.deepEqual(
        manifests.flatMap((manifest) =>
          problemsOf(manifest).map((problem) => `${idOf(manifest)}: ${problem}`),
        ),
        [],
      );
      const ids = manifests.map(idOf);
      assert.deepEqual(ids, [...new Set(ids)], "two objects have the same name");
    });
  });
}

describe("the check of rendered objects", () => {
  let deployment: Manifest;
  beforeAll(async () => {
    const found = (await render(minimal)).find(({ kind }) => kind === "Deployment");
    assert.ok(found);
    deployment = found;
  });

  /** A copy in which the object at the path has one more or another field. */
  function mutated(path: readonly (string | number)[], field: string, value: unknown): Manifest {
    const copy = structuredClone(deployment);
    let parent: unknown = copy;
    for (const key of path) parent = Reflect.get(Object(parent), key);
    assert.ok(isRecord(parent), path.join("."));
    parent[field] = value;
    return copy;
  }

  const container = ["spec", "template", "spec", "containers", 0];
  for (const [what, path, field, value] of [
    ["an unknown field of the object", [], "specification", {}],
    ["an unknown field of a container", container, "imagePullpolicy", "Always"],
    ["an unknown field of a probe", [...container, "readinessProbe"], "intervalSeconds", 2],
    ["text for a number", ["spec"], "replicas", "2"],
    ["a number for text", [...container, "env", 0], "value", 8080],
    ["an object for a list", ["spec", "template", "spec"], "volumes", {}],
    ["a quantity that is none", [...container, "resources", "requests"], "memory", "a lot"],
    ["a missing field", ["spec"], "selector", undefined],
  ] as const) {
    test(`the check of rendered objects finds ${what}`, () => {
      assert.deepEqual(problemsOf(deployment), []);
      assert.notDeepEqual(problemsOf(mutated(path, field, value)), []);
    });
  }
});
