import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { dockerfile, repository } from "../test/support/build.ts";
import { pairsOf, readDockerfile, settingsOf } from "./dockerfile.ts";

const stages = readDockerfile(dockerfile);
const image = stages.at(-1);
assert.ok(image);
const settings = settingsOf(image, { PATH: "/usr/bin" });
const everything = stages.flatMap(({ instructions }) => instructions);
const of = (keyword: string) => everything.filter((instruction) => instruction.keyword === keyword);
const linesOf = (file: string) =>
  readFileSync(join(repository, file), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

describe("the Dockerfile", () => {
  test("every stage starts from the slim image of Node 24", () => {
    for (const { base } of stages) assert.equal(base, "node:24-slim");
  });

  test("every file that it copies exists, and every stage that it copies from precedes it", () => {
    for (const [index, { instructions }] of stages.entries()) {
      for (const { keyword, flags, words } of instructions) {
        if (keyword !== "COPY") continue;
        const [source = "", target = "", ...more] = words;
        const from = flags.get("from");
        const earlier = stages.slice(0, index).map(({ name }) => name);
        if (from === undefined) assert.ok(existsSync(join(repository, source)), source);
        else assert.ok(earlier.includes(from), from);
        assert.deepEqual([target.startsWith("/"), more], [true, []], words.join(" "));
      }
    }
  });

  test("every script that it runs exists in the repository", () => {
    const scripts = of("RUN").flatMap(({ words }) => words.filter((word) => word.endsWith(".mjs")));
    assert.equal(scripts.length, 4);
    for (const script of scripts) {
      const path = script.replace(/^\/repository\//, "").replace(/^\/stages\//, "deploy/docker/stages/");
      assert.ok(existsSync(join(repository, path)), script);
    }
  });

  test("the image downloads nothing by itself, and its last stage runs no command", () => {
    assert.deepEqual(of("ADD"), []);
    assert.deepEqual(
      image.instructions.filter(({ keyword }) => keyword === "RUN"),
      [],
    );
  });

  test("the image starts muster serve all as the user 10001, without a shell in between", () => {
    assert.equal(settings.user, "10001:10001");
    assert.deepEqual(settings.command, ["/app/node_modules/.bin/muster", "serve"]);
    assert.deepEqual(settings.defaultArguments, ["all"]);
    assert.deepEqual(settings.healthCommand.slice(-2), ["node", "/app/healthcheck.mjs"]);
  });

  test("the build arguments reach the settings that provenance shows, and the labels", () => {
    const given = settingsOf(image, { PATH: "/bin", DEPLOYMENT_ID: "build-7", COMMIT_SHA: "0123abc" });
    assert.deepEqual(given.env, {
      ...{ PATH: "/app/node_modules/.bin:/bin", DATA_DIR: "/data", HOST: "0.0.0.0" },
      ...{ MUSTER_DEPLOYMENT_ID: "build-7", MUSTER_COMMIT_SHA: "0123abc" },
    });
    assert.equal(settings.env.MUSTER_COMMIT_SHA, "dev");
    const labels = new Map(of("LABEL").flatMap(pairsOf));
    const prefix = "org.opencontainers.image";
    assert.equal(labels.get(`${prefix}.revision`), "$COMMIT_SHA");
    assert.equal(labels.get(`${prefix}.licenses`), "Apache-2.0");
    for (const name of ["title", "description"]) assert.ok(labels.get(`${prefix}.${name}`), name);
  });
});

test("a build gets no file that git ignores, and not the history", () => {
  const ignored = linesOf(".dockerignore");
  assert.ok(ignored.includes(".git"));
  for (const pattern of linesOf(".gitignore")) {
    const path = pattern.replace(/\/$/, "");
    assert.ok(ignored.includes(path.includes("/") ? path : `**/${path}`), pattern);
  }
});
