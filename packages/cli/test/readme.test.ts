import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const root = resolve(import.meta.dirname, "../../..");

describe("the curl lines of the README", () => {
  const scope = suiteScope();
  let workplace: Workplace;
  let script: string;
  beforeAll(async () => {
    workplace = await startWorkplace(scope);
    const pushed = await workplace.run(["agents", "push", "--yes"], {
      cwd: join(root, "examples/support-chat"),
    });
    assert.equal(pushed.code, 0, pushed.err);
    const page = await readFile(join(root, "README.md"), "utf8");
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
    script = blocks.find((block) => block.includes("/trigger")) ?? "";
    assert.notEqual(script, "");
  });

  /** Runs the lines as a user who pastes them: each runs, whether or not the one before failed. */
  function paste(key: string): Promise<{ out: string; err: string }> {
    const env = { PATH: process.env.PATH ?? "", MUSTER_URL: workplace.url, MUSTER_API_KEY: key };
    const { promise, resolve: done } = Promise.withResolvers<{ out: string; err: string }>();
    execFile("bash", ["--norc", "-c", script], { env }, (_error, out, err) => done({ out, err }));
    return promise;
  }

  test("the curl lines of the README stream a reply", async () => {
    const { out } = await paste(workplace.key);
    assert.match(out, /"type":"text-delta"/);
    assert.match(out, /^data: \[DONE\]$/m);
  });

  test("the curl lines of the README report a wrong key as 401, and nothing else", async () => {
    const { out, err } = await paste("svc_sk_wrong");
    assert.equal(out, "");
    const complaints = err.split("\n").filter((line) => /^curl:/.test(line));
    assert.ok(complaints.length > 0, err);
    for (const line of complaints) assert.match(line, /401/);
  });
});
