import assert from "node:assert/strict";
import { type Computer, ComputerFileError, ComputerUnreachableError } from "@muster/computers";
import { defaultFileRules } from "@muster/storage/files";
import { openTestStore } from "@muster/store/testing";
import { type TestContext, test } from "vitest";
import { computerThat } from "../../../test/support/computer-that.ts";
import { aMessage, anAgent, aThread } from "../../../test/support/documents.ts";
import { createThreadStore } from "../../store/thread-store.ts";
import { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { placeFiles } from "./place-files.ts";

/** Places `a.txt` on a computer whose folder is listed so. `put`: receives the paths that are written. */
async function place(t: TestContext, put: string[], listFiles: Computer["listFiles"]): Promise<void> {
  const { db } = await openTestStore(t);
  const threads = createThreadStore(db);
  await threads.insert(aThread({ status: "running", accepted: true, runId: "run_1", epoch: 7 }));
  const { computer } = computerThat(() => assert.fail("not expected"), {
    listFiles,
    putFile: async (path) => void put.push(path),
  });
  const context = { threads, rules: defaultFileRules, files: undefined, fetchFile: () => assert.fail() };
  const file = { id: "1", mediaType: "text/plain", url: "https://files.example/a.txt" };
  const current = { threadId: "thr_1", runId: "run_1" };
  const run = new ActiveRun({ ...anAgent(), epoch: 7, current }, false);
  await placeFiles(context, run, computer, {}, { ...aMessage(), files: [file] });
}

test("a folder that cannot be listed does not count as empty, and no file in it is replaced", async (t) => {
  const refused = (isMissing: boolean) => () =>
    Promise.reject(new ComputerFileError("Refused.", { isMissing }));
  const isBroken = (error: unknown) => error instanceof Broken && error.breakage.at === "file";
  const put: string[] = [];
  await assert.rejects(place(t, put, refused(false)), isBroken);
  assert.deepEqual(put, []);
  await place(t, put, refused(true));
  assert.deepEqual(put, ["~/files/a.txt"]);
});

test("a folder is listed again once the computer's connection is back", async (t) => {
  let tries = 0;
  const cutOnce = async () => {
    if (++tries === 1) throw new ComputerUnreachableError("The connection to the computer was lost.");
    return [{ path: "~/files/a.txt", type: "file", size: 1, mode: 0o644, mtimeMs: 0 } as const];
  };
  const put: string[] = [];
  await place(t, put, cutOnce);
  assert.deepEqual(put, ["~/files/a-2.txt"]);
});
