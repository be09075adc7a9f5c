import assert from "node:assert/strict";
import { test } from "vitest";
import { bytesOf, makeFolder } from "../../../test/support/folders.ts";
import { muster } from "../../../test/support/muster.ts";

test("muster agents new creates a folder without findings, and overwrites nothing", async (t) => {
  const cwd = await makeFolder(t);
  const made = await muster(["agents", "new", "shop-help", "--name", "Shop help"], { cwd });
  assert.equal(made.code, 0);
  assert.match(made.out, /^wrote shop-help\/protocol\.yaml$/m);
  assert.match(
    made.err,
    /^To create the agent on a server, run: muster agents push shop-help\nThen, to chat with it, run: muster chat shop-help\n$/,
  );
  const checked = await muster(["agents", "validate", "shop-help"], { cwd });
  assert.equal(checked.out, "shop-help: no problems\n");
  const before = await bytesOf(cwd);
  assert.match(before["shop-help/settings.json"] ?? "", /"name": "Shop help"/);
  assert.match(
    before["shop-help/protocol.yaml"] ?? "",
    /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8080\/schemas\/protocol\.json\n/,
  );
  for (const slug of ["shop-help", "other"]) {
    const again = await muster(["agents", "new", slug, "shop-help"], { cwd });
    assert.deepEqual([again.code, /\(FOLDER_IN_USE\)/.test(again.err)], [1, true]);
  }
  assert.deepEqual(await bytesOf(cwd), before);
});

test("muster agents new rejects an invalid slug before it writes anything", async (t) => {
  const cwd = await makeFolder(t);
  const { code, err } = await muster(["agents", "new", "Shop help"], { cwd });
  assert.deepEqual([code, /is not a valid slug/.test(err)], [2, true]);
  assert.deepEqual(await bytesOf(cwd), {});
});
