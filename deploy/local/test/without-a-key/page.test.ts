import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { freePort, programEnvironment } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer } from "../support/server.ts";

const root = resolve(import.meta.dirname, "../../../..");

/** The output of the commands of a section, on both outputs. */
type Section = readonly [heading: string, ...printed: RegExp[]];

const features: readonly Section[] = [
  ["Tool calls", /get-order/, /The tool get-order returned status shipped\./],
  ["Reasoning", /The message names no tool\. I repeat it\./, /You said: /],
  ["Structured output", /42\.5/, /FORM/],
  [
    "Workers",
    /^ {2}ask-optimist -> "/m,
    /^ {2}ask-sceptic -> "/m,
    /You said: Argue in three short sentences: Learn to sail/,
  ],
  [
    "Files",
    /\[file lease\.txt, text\/plain, 30 bytes\]/,
    /\[file lease\.pdf, application\/pdf, \d+ bytes\]/,
    /\[file stamp\.png, image\/png, 70 bytes\]/,
  ],
  ["A summary of a long conversation", /^\S+ +compaction .*"incident-summary"/m],
  [
    "What your program receives",
    /"type":"worker-result"/,
    /^data: \[DONE\]$/m,
    /"messages":\[.*"type":"worker"/,
  ],
];

const conversation = [
  /find-rooms .*friday/,
  /The tool find-rooms returned day friday, rooms \["Blue room/,
  /You said: Thank you/,
];

const tutorial: readonly Section[] = [
  ["Describe an agent", /created/i, /The tool find-rooms returned rooms/],
  ["A backend in Node", ...conversation],
  ["The same backend in Python", ...conversation],
  ["A key for the backend", /svc_agt_/],
  ["A real model", /version 2/i],
];

describe.each([
  { name: "without-a-key.md", expected: features },
  { name: "tutorial.md", expected: tutorial },
])("the commands of docs/$name", ({ name, expected }) => {
  const scope = suiteScope();
  const sections = new Map<string, string>();
  let environment: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    const { url, key } = await startTestServer(scope);
    folder = await mkdtemp(join(tmpdir(), "muster-page-"));
    scope.onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await symlink(join(root, "examples"), join(folder, "examples"));
    // `npx muster` and `npx node` outside the repository.
    const bin = join(root, "packages/cli/bin/muster.mjs");
    const program = `#!/bin/sh\ncommand=$1\nshift\n[ "$command" = muster ] && set -- "${bin}" "$@"\nexec node "$@"\n`;
    await writeFile(join(folder, "npx"), program);
    await chmod(join(folder, "npx"), 0o755);
    const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
    environment = {
      ...programEnvironment(),
      PATH: path,
      MUSTER_URL: url,
      MUSTER_API_KEY: key,
      PORT: String(await freePort()),
    };
    const page = await readFile(join(root, "docs", name), "utf8");
    for (const section of page.split(/^## /m).slice(1)) {
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
      if (blocks.length > 0) sections.set(section.slice(0, section.indexOf("\n")), blocks.join(""));
    }
  });

  function paste(script: string): Promise<{ code: number | null; printed: string }> {
    const options = { env: environment, cwd: folder, maxBuffer: 10_000_000 };
    return new Promise((done) => {
      const child = execFile("bash", ["--norc", "-ec", script], options, (_error, out, err) =>
        done({ code: child.exitCode, printed: `${out}\n${err}` }),
      );
    });
  }

  for (const [heading, ...patterns] of expected) {
    test(`${heading}: they succeed, and show it`, async () => {
      const { code, printed } = await paste(sections.get(heading) ?? "");
      assert.equal(code, 0, printed);
      for (const pattern of patterns) assert.match(printed, pattern);
    });
  }

  test("no section is missing here", () => {
    assert.deepEqual(
      [...sections.keys()],
      expected.map(([heading]) => heading),
    );
  });
});
