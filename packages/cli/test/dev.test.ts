import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster agents dev", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let start: Workplace["start"];
  let client: Workplace["client"];
  let cwd = "";
  let at = { cwd };
  beforeAll(async () => {
    ({ run, start, client } = await startWorkplace(scope));
    cwd = await makeFolder(scope, helper);
    at = { cwd };
  });

  test("each change of a watched folder is validated, and pushed if it has no errors", async () => {
    const watching = start(["agents", "dev"], at);
    await watching.shown(/Pushed helper version 1: settings\.json, .*/);
    await watching.shown(/Watching \. for changes/);
    await writeFiles(cwd, { "prompts/system.md": "You help a lot.\n" });
    await watching.shown(/Pushed helper version 2: prompts\/system\.md/);
    await writeFiles(cwd, { "protocol.yaml": `${helper["protocol.yaml"]}unknown: 1\n` });
    await watching.shown(/protocol\.yaml:\d+:1: error UNKNOWN_KEY/);
    await writeFiles(cwd, { "protocol.yaml": helper["protocol.yaml"], "prompts/system.md": "Help.\n" });
    await watching.shown(/Pushed helper version 3: prompts\/system\.md/);
    watching.interrupt();
    assert.equal((await watching.finished).code, 130);
  });

  test("a watched folder never overwrites an agent that someone else has changed", async (t) => {
    const unasked = await run(["agents", "dev"], {
      cwd: await makeFolder(t, { ...helper, "prompts/system.md": "" }),
    });
    assert.equal(unasked.code, 2);
    assert.match(unasked.err, /To confirm, add --yes/);
    const watching = start(["agents", "dev"], at);
    await watching.shown(/Watching/);
    await client.json(200, "PATCH", "/api/agents/helper?by=slug", { settings: { name: "Theirs" } });
    await writeFiles(cwd, { "prompts/system.md": "Mine\n" });
    const { code, err } = await watching.finished;
    assert.equal(code, 1);
    assert.match(err, /CHANGED_ON_SERVER/);
  });

  test("a folder that does not exist cannot be watched", async () => {
    const { code, err } = await run(["agents", "dev", "nowhere"], at);
    assert.deepEqual([code, /Cannot watch the folder/.test(err)], [1, true]);
  });
});
