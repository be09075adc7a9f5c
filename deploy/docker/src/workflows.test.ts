import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { record } from "@muster/testing";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { dockerfile, repository } from "../test/support/build.ts";
import { pairsOf, readDockerfile } from "./dockerfile.ts";

type Fields = Record<string, unknown>;

const workflows = new Map(
  globSync(".github/workflows/*.yml", { cwd: repository }).map((path) => [
    basename(path),
    record(parse(readFileSync(join(repository, path), "utf8"))),
  ]),
);
const workflow = (name: string) => record(workflows.get(name));
const jobsOf = (fields: Fields) =>
  Object.entries(record(fields.jobs)).map(([name, job]) => [name, record(job)] as const);
const stepsOf = (job: Fields): Fields[] => (Array.isArray(job.steps) ? job.steps.map(record) : []);

/** All that the language allows, and this repository uses. */
const jobKeys = [
  "if",
  "needs",
  "uses",
  "runs-on",
  "timeout-minutes",
  "permissions",
  "env",
  "strategy",
  "steps",
];
const stepKeys = ["id", "name", "uses", "with", "run", "env"];

for (const [file, fields] of workflows) {
  describe(file, () => {
    test(`every job of ${file} runs on a named system with a time limit, or is another workflow of this repository`, () => {
      for (const [name, job] of jobsOf(fields)) {
        assert.deepEqual(
          Object.keys(job).filter((key) => !jobKeys.includes(key)),
          [],
          name,
        );
        if (job.uses !== undefined) assert.ok(existsSync(join(repository, String(job.uses))), name);
        else
          assert.deepEqual(
            [typeof job["runs-on"], typeof job["timeout-minutes"]],
            ["string", "number"],
            name,
          );
        for (const needed of [job.needs ?? []].flat())
          assert.ok(record(fields.jobs)[String(needed)], String(needed));
      }
    });

    test(`every step of ${file} runs a command that exists, or an action of a fixed major version`, () => {
      for (const step of jobsOf(fields).flatMap(([, job]) => stepsOf(job))) {
        assert.deepEqual(
          Object.keys(step).filter((key) => !stepKeys.includes(key)),
          [],
        );
        if (step.uses === undefined) assert.equal(typeof step.run, "string");
        else assert.match(String(step.uses), /^[\w-]+\/[\w-]+@v\d+$/);
        const [program = ""] = String(step.run ?? "").split(" ");
        if (!/^(?:\.ci|deploy)\//.test(program)) continue;
        accessSync(join(repository, program), constants.X_OK);
        execFileSync("bash", ["-n", join(repository, program)]);
      }
    });

    test(`${file} may only read the repository, except where it publishes`, () => {
      assert.deepEqual(fields.permissions, { contents: "read" });
      for (const [name, { permissions }] of jobsOf(fields)) {
        const expected = name === "publish" ? { contents: "write", packages: "write" } : undefined;
        assert.deepEqual(permissions, expected, name);
      }
    });
  });
}

describe("the workflows of the image and of releases", () => {
  const jobs = record(workflow("release.yml").jobs);
  const builds = [...jobsOf(workflow("image.yml")), ...jobsOf(workflow("release.yml"))]
    .flatMap(([, job]) => stepsOf(job))
    .filter(({ uses }) => String(uses).startsWith("docker/build-push-action@"))
    .map((step) => record(step.with));

  test("every build uses the Dockerfile and only arguments that it has", () => {
    const instructions = readDockerfile(dockerfile).flatMap((stage) => stage.instructions);
    const known = instructions.filter(({ keyword }) => keyword === "ARG").flatMap(pairsOf);
    assert.equal(builds.length, 3);
    for (const build of builds) {
      assert.equal(join(repository, String(build.file)), dockerfile);
      const given = String(build["build-args"]).trim().split("\n");
      assert.deepEqual(
        given.map((line) => line.split("=")[0]),
        known.map(([name]) => name),
      );
    }
  });

  test("an image is published only for a tag, after it ran on both processors, Compose and the chart could install it, and the suite passed, with its provenance", () => {
    assert.deepEqual(record(jobs.publish).needs, ["image", "suite"]);
    assert.deepEqual(
      [record(jobs.image).uses, record(jobs.suite).uses],
      ["./.github/workflows/image.yml", "./.github/workflows/ci.yml"],
    );
    assert.deepEqual(Object.keys(record(workflow("image.yml").jobs)), ["smoke", "installations"]);
    const pushed = builds.filter(({ push }) => push === true);
    assert.equal(pushed.length, 1);
    const { platforms, provenance, sbom } = record(pushed[0]);
    assert.deepEqual([platforms, provenance, sbom], ["linux/amd64,linux/arm64", "mode=max", true]);
    assert.deepEqual(workflow("release.yml").on, { push: { tags: ["v*"] } });
    for (const called of ["ci.yml", "image.yml"])
      assert.ok("workflow_call" in record(workflow(called).on), called);
  });

  test("a release publishes the image, the chart and all packages of one version, then the changelog's section of it", () => {
    const commands = stepsOf(record(jobs.publish)).flatMap(({ uses, run }) =>
      String(uses ?? run)
        .split("\n")
        .flatMap(
          (line) =>
            /build-push-action|helm push|packages\/[a-z-]+\/dist|release-notes|gh release/.exec(line) ?? [],
        ),
    );
    assert.deepEqual(commands, [
      ...["build-push-action", "helm push"],
      ...["cli", "client", "react", "platform-computer"].map((name) => `packages/${name}/dist`),
      ...["release-notes", "gh release"],
    ]);
    const [check] = stepsOf(record(jobs.version)).flatMap(({ run }) => run ?? []);
    assert.equal(check, 'node scripts/release-notes.mjs "$GITHUB_REF_NAME"');
    for (const job of ["image", "suite"]) assert.deepEqual(record(jobs[job]).needs, ["version"]);
  });
});

test("the suite also runs against MongoDB 8 and NATS 2.12", () => {
  const job = record(record(workflow("ci.yml").jobs)["real-servers"]);
  const commands = stepsOf(job).map(({ run }) => String(run));
  assert.ok(commands.some((command) => command.includes("mongo:8.0 --replSet rs0")));
  assert.ok(commands.some((command) => command.includes("nats:2.12 --jetstream")));
  assert.deepEqual(Object.keys(record(job.env)), ["MONGODB_URI", "NATS_URL"]);
  assert.equal(commands.at(-1), "npm test");
});

test("the proxy and the alerts are also tried in nginx and promtool, which the system provides", () => {
  const job = record(record(workflow("ci.yml").jobs).programs);
  const commands = stepsOf(job).flatMap(({ run }) => (run === undefined ? [] : [String(run)]));
  const [install, ...proofs] = commands;
  assert.match(
    String(install),
    /^sudo apt-get .* nats-server nginx-light prometheus prometheus-alertmanager$/,
  );
  assert.deepEqual(proofs, ["npm run test:proxy", "npm run test:alerts"]);
});
