import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { test } from "vitest";
import { startWorkplace } from "./support/workplace.ts";

test("a recorded run ends with a link to its video, which plays in a browser, is downloaded, and is gone once deleted", async (t) => {
  const { run, url } = await startWorkplace(t);
  const workforce = async (...args: string[]) => {
    const { code, out, err } = await run(["workforce", ...args]);
    assert.equal(code, 0, err);
    return { out, err };
  };
  await workforce("hire", "log-analyst", "--name", "Lou", "--record");
  const { err } = await workforce("run", "Lou", "Which <b>host</b> failed most?", "--wait");
  const [, threadId = ""] = /\[(thr_\w+) completed/.exec(err) ?? [];
  const [, link = ""] = /\nRecording: (\S+)\n$/.exec(err) ?? [];
  assert.match(link, new RegExp(`^${url}/r/rec_\\w+\\?token=`));

  const page = await openPage(t, link);
  await page.waitFor("document.querySelector('video').readyState >= 2");
  for (const section of ["chapters", "transcript"])
    await page.waitFor(`Number(document.querySelector('.${section}').dataset.cues) > 1`);
  assert.equal(
    await page.evaluate("document.querySelector('h1').textContent"),
    "Which <b>host</b> failed most?",
  );
  const size = await page.evaluate(
    "(({ videoWidth, videoHeight }) => [videoWidth, videoHeight])(document.querySelector('video'))",
  );
  assert.deepEqual(size, [1280, 720]);
  assert.match(
    String(await page.evaluate("document.querySelector('.facts').innerText")),
    /Completed[\s\S]*demo\/echo/,
  );
  assert.match(
    String(await page.evaluate("document.querySelector('.transcript ol').innerText")),
    /task\.txt/,
  );
  assert.deepEqual(page.problems, []);

  const file = join(await temporaryDirectory(t), "run.webm");
  const watched = await workforce("watch", "Lou", threadId, "--recording", "--output", file);
  assert.equal(watched.out, `${file}\n`);
  // EBML, with which WebM begins.
  assert.equal((await readFile(file)).subarray(0, 4).toString("hex"), "1a45dfa3");

  await workforce("delete-recording", "Lou", threadId, "--yes");
  for (const path of [link, link.replace("?", ".webm?")]) assert.equal((await fetch(path)).status, 410);
  const after = await run(["workforce", "watch", "Lou", threadId, "--recording"]);
  assert.deepEqual([after.code, /NO_RECORDING/.test(after.err)], [1, true], after.err);
});
