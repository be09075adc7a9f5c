import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const key = "sk-0123456789-secret-WXYZ";
const args = ["projects", "provider-keys"];

describe("muster projects provider-keys", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  beforeAll(async () => {
    ({ run } = await startWorkplace(scope));
  });

  test("a key is read from standard input, listed by its end, and deleted once", async () => {
    const set = await run([...args, "set", "openai"], { input: `${key}\n` });
    assert.deepEqual([set.code, set.out, set.err], [0, "Set the project's key for openai.\n", ""]);
    const listed = await run([...args, "list"]);
    assert.match(listed.out, /openai +WXYZ/);
    const json = JSON.parse((await run([...args, "list", "--json"])).out);
    assert.deepEqual(Object.keys(json.providerKeys[0]).sort(), [
      "createdAt",
      "lastFour",
      "provider",
      "updatedAt",
    ]);
    assert.ok(!listed.out.includes(key) && !JSON.stringify(json).includes(key));
    assert.equal((await run([...args, "delete", "openai"])).code, 2);
    assert.equal((await run([...args, "delete", "openai", "--yes"])).code, 0);
    const again = await run([...args, "delete", "openai", "--yes"]);
    assert.deepEqual([again.code, again.out], [1, "The project has no key for openai.\n"]);
  });

  test("a key belongs to the project that --project names, and to no other", async () => {
    const [, project = ""] = /project (prj_\w+)/.exec((await run(["projects", "create", "Other"])).out) ?? [];
    const inProject = ["--project", project];
    assert.equal((await run([...args, "set", "xai", ...inProject], { input: key })).code, 0);
    assert.match((await run([...args, "list", ...inProject])).out, /xai/);
    assert.doesNotMatch((await run([...args, "list"])).out, /xai/);
  });

  test("no input, a key with a line break, an unknown provider and a key as an argument are refused", async () => {
    for (const [more, input] of [
      [["set", "openai"], ""],
      [["set", "openai"], "two\nlines"],
      [["set", "nobody"], key],
      [["set", "openai", key], key],
      [["set", "openai"], "x".repeat(70_000)],
    ] as const) {
      const refused = await run([...args, ...more], { input });
      assert.notEqual(refused.code, 0, more.join(" "));
      assert.ok(refused.err !== "" && !refused.err.includes("two"));
    }
    assert.doesNotMatch((await run([...args, "list"])).out, /openai/);
  });
});
