import assert from "node:assert/strict";
import { ComputerFileError } from "@muster/computers";
import { defaultFileRules } from "@muster/storage/files";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import { computerThat } from "../../../test/support/computer-that.ts";
import { aMessage, anAgent, aThread } from "../../../test/support/documents.ts";
import { createThreadStore } from "../../store/thread-store.ts";
import { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { placeFiles } from "./place-files.ts";

test("a folder that cannot be listed does not count as empty, and no file in it is replaced", async (t) => {
  const { db } = await openTestStore(t);
  const threads = createThreadStore(db);
  await threads.insert(aThread({ status: "running", accepted: true, runId: "run_1", epoch: 7 }));
  const current = { threadId: "thr_1", runId: "run_1" };
  const put: string[] = [];
  const place = async (isMissing: boolean) => {
    const { computer } = computerThat(() => assert.fail("not expected"), {
      listFiles: async () => Promise.reject(new ComputerFileError("Refused.", { isMissing })),
      putFile: async (path) => void put.push(path),
    });
    const context = { threads, rules: defaultFileRules, files: undefined, fetchFile: () => assert.fail() };
    const file = { id: "1", mediaType: "text/plain", url: "https://files.example/a.txt" };
    const message = { ...aMessage(), files: [file] };
    await placeFiles(
      context,
      new ActiveRun({ ...anAgent(), epoch: 7, current }, false),
      computer,
      {},
      message,
    );
  };
  await assert.rejects(place(false), (error) => error instanceof Broken && error.breakage.at === "file");
  assert.deepEqual(put, []);
  await place(true);
  assert.deepEqual(put, ["~/files/a.txt"]);
});
