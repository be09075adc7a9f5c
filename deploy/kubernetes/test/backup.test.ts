import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@muster/testing";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { describe, type TestContext, test } from "vitest";
import { render, type Values } from "./support/helm.ts";
import { ofKind } from "./support/rendered.ts";
import { everything, minimal } from "./support/value-sets.ts";

async function podOf(values: Values) {
  const [job] = ofKind(await render(values), CronJob);
  const pod = job?.spec?.jobTemplate.spec?.template.spec;
  const container = pod?.containers[0];
  assert.ok(job && pod && container);
  return { job, pod, container };
}

/**
 * The folders of the pod, and its script. The MongoDB here is a file, `mongodb`, and these two programs stand for MongoDB's own, which
 * smoke.sh runs: they check how they are called, and copy that file.
 */
async function startWorld(t: TestContext) {
  const root = await temporaryDirectory(t);
  const path = (name: string) => join(root, name);
  for (const folder of ["backups", "data/blobs", "data/files", "bin", "tmp"])
    await mkdir(path(folder), { recursive: true });
  const program = (name: string, script: string) =>
    writeFile(path(`bin/${name}`), `#!/bin/sh\nset -eu\n${script}`, { mode: 0o755 });
  const isGiven = 'grep -q \'uri: "mongodb://u:p@h"\' "$2" && case "$*" in *p@h*) exit 9;; esac\n';
  await program("mongodump", `${isGiven}cp ${path("mongodb")} mongodb.archive && sh ${path("meanwhile")}\n`);
  await program("mongorestore", `${isGiven}cp mongodb.archive ${path("mongodb")}\n`);
  await writeFile(path("mongodb"), "state 1");
  await writeFile(path("meanwhile"), "true");
  const { container } = await podOf(everything);
  const [shell = "", ...options] = container.command ?? [];
  return {
    path,
    run: (env: Record<string, string> = {}) =>
      promisify(execFile)(shell, [...options, ...(container.args ?? [])], {
        env: {
          ...{ PATH: `${path("bin")}:${process.env.PATH}`, TMPDIR: path("tmp"), KEEP: "2" },
          ...{ BACKUPS: path("backups"), DATA: path("data"), MONGODB_URI: "mongodb://u:p@h" },
          ...env,
        },
      }),
    copies: async () => (await readdir(path("backups"))).sort(),
  };
}

describe("the backup of the chart", () => {
  test("its pod obeys the restricted profile, reads the URI of its own user, and writes to a volume of its own", async () => {
    const { job, pod, container } = await podOf(everything);
    assert.deepEqual(container.env?.[0]?.valueFrom?.secretKeyRef, {
      name: "mongodb-backup",
      key: "MONGODB_URI",
    });
    assert.equal(pod.securityContext?.runAsNonRoot, true);
    assert.equal(container.securityContext?.readOnlyRootFilesystem, true);
    assert.deepEqual(container.securityContext?.capabilities, { drop: ["ALL"] });
    const claims = pod.volumes?.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
    assert.ok(claims?.includes("backups") && claims.includes("agents-platform-files"));
    assert.deepEqual([job.spec?.concurrencyPolicy, job.spec?.timeZone], ["Forbid", "Etc/UTC"]);
  });

  test("without a user of its own it connects as the processes do, and without a volume of files it copies the database alone", async () => {
    const backup = { enabled: true, existingClaim: "backups" };
    const { pod, container } = await podOf({
      ...minimal,
      backup,
      recorder: { enabled: false },
      workforce: { replicas: 1 },
      files: { enabled: false, persistence: { enabled: false } },
    });
    assert.equal(container.env?.[0]?.valueFrom?.secretKeyRef?.name, "muster-settings");
    assert.deepEqual(
      pod.volumes?.map(({ name }) => name),
      ["tmp", "backups"],
    );
  });

  test("a copy restores the database and the files, also those that appear or disappear while the database is copied", async (t) => {
    const { path, run, copies } = await startWorld(t);
    await writeFile(path("data/blobs/old"), "old");
    await utimes(path("data/blobs/old"), 1, 1);
    await writeFile(path("data/files/upload"), "upload");
    await writeFile(
      path("meanwhile"),
      `rm ${path("data/blobs/old")}; echo new > ${path("data/blobs/new")}\n`,
    );
    await run();
    const [copy = ""] = await copies();
    assert.match(copy, /^muster-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
    await rm(path("data/files/upload"));
    await rm(path("data/blobs/new"));
    await writeFile(path("mongodb"), "state 2");
    await run({ RESTORE: copy });
    const texts = await Promise.all(
      ["mongodb", "data/blobs/old", "data/blobs/new", "data/files/upload"].map((name) =>
        readFile(path(name), "utf8"),
      ),
    );
    assert.deepEqual(texts, ["state 1", "old", "new\n", "upload"]);
  });

  test("only the most recent copies remain, and nothing of one that failed a day ago", async (t) => {
    const { path, run, copies } = await startWorld(t);
    const older = ["muster-2026-01-01T03-17-00Z", "muster-2026-01-02T03-17-00Z"];
    const failed = "muster-2026-01-03T03-17-00Z.unfinished";
    for (const name of [...older, failed, "other"]) await mkdir(path(`backups/${name}`));
    await utimes(path(`backups/${failed}`), 1, 1);
    await run();
    const [first, second, third, ...more] = await copies();
    assert.deepEqual([first, third, more], [older[1], "other", []]);
    assert.match(second ?? "", /^muster-.*Z$/);
  });

  test("a copy that fails is not among the copies, and removes none", async (t) => {
    const { path, run, copies } = await startWorld(t);
    for (const name of ["a", "b", "c"]) await mkdir(path(`backups/muster-${name}Z`));
    await writeFile(path("meanwhile"), "exit 1");
    await assert.rejects(run());
    const complete = (await copies()).filter((name) => !name.endsWith(".unfinished"));
    assert.deepEqual(complete, ["muster-aZ", "muster-bZ", "muster-cZ"]);
  });

  test("a restore of a copy that does not exist changes nothing", async (t) => {
    const { path, run } = await startWorld(t);
    await assert.rejects(run({ RESTORE: "muster-2026-01-01T03-17-00Z" }));
    assert.equal(await readFile(path("mongodb"), "utf8"), "state 1");
  });
});
