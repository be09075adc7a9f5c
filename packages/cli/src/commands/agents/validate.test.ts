import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Result } from "sarif";
import { describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "../../../test/support/folders.ts";
import { muster } from "../../../test/support/muster.ts";

const broken = {
  ...helper,
  "settings.json": '{\n  "slug": "Not a slug",\n  "name": "Helper", "format": "interactive"\n}\n',
  "protocol.yaml": helper["protocol.yaml"].replace("tools: [get-order]", "tools: [get-ordr]"),
  "prompts/user.md": "One\n  {{#if USER_MESSAGE}}",
  "references/prices.md": "---\ndescription: Prices\n---\n1\n",
};

const codesAt = (issues: Array<Record<string, unknown>>) =>
  issues.map(({ code, file, line, column }) => `${file}:${line}:${column} ${code}`);

const expected = [
  "agent/settings.json:2:11 INVALID_SLUG",
  "agent/prompts/user.md:2:3 UNBALANCED_CONDITION",
  "agent/protocol.yaml:13:11 UNKNOWN_TOOL",
  "agent/references/prices.md:undefined:undefined UNUSED_REFERENCE",
];

async function brokenFolder(t: Parameters<typeof makeFolder>[0]): Promise<string> {
  const inside = Object.entries(broken).map(([path, content]) => [`agent/${path}`, content]);
  return makeFolder(t, Object.fromEntries(inside));
}

describe("muster agents validate", () => {
  test("a valid folder has no problems, also as the working directory", async (t) => {
    const cwd = await makeFolder(t, helper);
    assert.deepEqual(await muster(["agents", "validate"], { cwd }), {
      code: 0,
      out: ".: no problems\n",
      err: "",
    });
  });

  test("each finding has its file, line and column", async (t) => {
    const cwd = await brokenFolder(t);
    const { code, out, err } = await muster(["agents", "validate", "agent", "--json"], { cwd });
    assert.deepEqual([code, err], [1, ""]);
    const report = JSON.parse(out);
    assert.equal(report.valid, false);
    assert.deepEqual(codesAt(report.issues).toSorted(), expected.toSorted());
    assert.equal(
      report.issues.every(({ message }: { message: string }) => !/^Line /.test(message)),
      true,
    );
  });

  test("the text format has a line for each finding, and a summary", async (t) => {
    const cwd = await brokenFolder(t);
    const { code, out } = await muster(["agents", "validate", "agent"], { cwd });
    assert.equal(code, 1);
    assert.match(out, /^agent\/protocol\.yaml:13:11: error UNKNOWN_TOOL: .*Did you mean get-order\?$/m);
    assert.match(out, /^agent: 3 errors, 1 warning$/m);
  });

  test("a finding in protocol.yml is reported in that file", async (t) => {
    const { "protocol.yaml": protocol, ...others } = helper;
    const cwd = await makeFolder(t, { ...others, "protocol.yml": `${protocol}unknown: 1\n` });
    const { code, out } = await muster(["agents", "validate"], { cwd });
    assert.equal(code, 1);
    assert.match(out, /^protocol\.yml:\d+:1: error UNKNOWN_KEY/m);
  });

  test("warnings alone do not fail a validation", async (t) => {
    const cwd = await makeFolder(t, { ...helper, "prompts/unused.md": "" });
    const { code, out } = await muster(["agents", "validate"], { cwd });
    assert.match(out, /^prompts\/unused\.md: warning UNUSED_PROMPT/m);
    assert.equal(code, 0);
  });

  test("the SARIF format has the fields that code scanning needs", async (t) => {
    const cwd = await brokenFolder(t);
    const { code, out } = await muster(["agents", "validate", "agent", "--format", "sarif"], { cwd });
    assert.equal(code, 1);
    const log = JSON.parse(out);
    assert.equal(log.version, "2.1.0");
    assert.match(log.$schema, /sarif-2\.1\.0/);
    const [run] = log.runs;
    assert.equal(run.tool.driver.name, "muster");
    for (const rule of run.tool.driver.rules)
      assert.ok(rule.id && rule.shortDescription.text && rule.help.text);
    assert.equal(run.originalUriBaseIds.SRCROOT.uri, `file://${cwd}/`);
    const found = run.results.map(
      ({ ruleId, ruleIndex, level, message, locations, partialFingerprints }: Result) => {
        assert.equal(run.tool.driver.rules[ruleIndex ?? -1].id, ruleId);
        assert.ok(message.text && partialFingerprints && Object.keys(partialFingerprints).length > 0);
        const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {};
        assert.equal(artifactLocation?.uriBaseId, "SRCROOT");
        return `${artifactLocation.uri}:${region?.startLine}:${region?.startColumn} ${ruleId} ${level}`;
      },
    );
    const levelled = expected.map(
      (entry) => `${entry} ${entry.endsWith("UNUSED_REFERENCE") ? "warning" : "error"}`,
    );
    assert.deepEqual(found.toSorted(), levelled.toSorted());
  });

  test("the GitHub and SARIF formats name files relative to the root of the repository, wherever the command runs", async (t) => {
    const inside = Object.entries(broken).map(([path, content]) => [`services/agents/a b/${path}`, content]);
    const root = await makeFolder(t, Object.fromEntries(inside));
    const cwd = join(root, "services/agents");
    const uriFrom = async (env: Record<string, string>) => {
      const { out } = await muster(["agents", "validate", "a b", "--format", "sarif"], { cwd, env });
      const [run] = JSON.parse(out).runs;
      const { uri } = run.results[0].locations[0].physicalLocation.artifactLocation;
      return new URL(uri, run.originalUriBaseIds.SRCROOT.uri).href ===
        pathToFileURL(join(cwd, "a b/settings.json")).href
        ? uri
        : undefined;
    };
    assert.equal(await uriFrom({}), "a%20b/settings.json");
    assert.equal(await uriFrom({ GITHUB_WORKSPACE: root }), "services/agents/a%20b/settings.json");
    await writeFiles(root, { ".git": "gitdir: elsewhere\n" });
    assert.equal(await uriFrom({ GITHUB_WORKSPACE: "/elsewhere" }), "services/agents/a%20b/settings.json");
    const { out } = await muster(["agents", "validate", "a b", "--format", "github"], { cwd });
    assert.match(out, /^::error file=services\/agents\/a b\/settings\.json,line=2,/m);
  });

  test("several folders are validated together, and fail if one has errors", async (t) => {
    const cwd = await brokenFolder(t);
    await writeFiles(join(cwd, "right"), helper);
    const { code, out } = await muster(["agents", "validate", "right", "agent"], { cwd });
    assert.equal(code, 1);
    assert.match(out, /^right: no problems\n[\s\S]*^agent: 3 errors, 1 warning\n$/m);
    const { valid, issues } = JSON.parse(
      (await muster(["agents", "validate", "right", "agent", "--json"], { cwd })).out,
    );
    assert.deepEqual([valid, issues.length], [false, 4]);
  });

  test("the SARIF format has absolute addresses for files outside the working directory", async (t) => {
    const folder = await makeFolder(t, broken);
    const cwd = await makeFolder(t);
    const { out } = await muster(["agents", "validate", folder, "--format", "sarif"], { cwd });
    const uris = JSON.parse(out).runs[0].results.map(
      ({ locations }: Result) => locations?.[0]?.physicalLocation?.artifactLocation,
    );
    assert.deepEqual(uris[0], { uri: `file://${join(folder, "settings.json")}` });
  });

  test("the GitHub format has one workflow command for each finding, and nothing else", async (t) => {
    const cwd = await brokenFolder(t);
    const { code, out } = await muster(["agents", "validate", "agent", "--format", "github"], { cwd });
    assert.equal(code, 1);
    const lines = out.trimEnd().split("\n");
    assert.equal(lines.length, 4);
    const annotated = /^::error file=agent\/protocol\.yaml,line=13,col=11,title=UNKNOWN_TOOL::\S/;
    assert.equal(lines.filter((line) => annotated.test(line)).length, 1);
    assert.match(out, /^::warning file=agent\/references\/prices\.md,title=UNUSED_REFERENCE::/m);
  });

  test("every problem of an unreadable folder is a finding", async (t) => {
    const cwd = await makeFolder(t, { "settings.json": '{\n"slug": }', "prompts/A B.md": "" });
    const { code, out } = await muster(["agents", "validate", "--json"], { cwd });
    assert.equal(code, 1);
    assert.deepEqual(codesAt(JSON.parse(out).issues), [
      "settings.json:2:9 INVALID_FOLDER",
      "protocol.yaml:undefined:undefined INVALID_FOLDER",
      "prompts/A B.md:undefined:undefined INVALID_FOLDER",
    ]);
    const absent = await muster(["agents", "validate", "nowhere"], { cwd });
    assert.equal(absent.code, 1);
    assert.match(absent.out, /^nowhere: error INVALID_FOLDER: .* does not exist\.$/m);
  });

  test("--json cannot be combined with another format, and an unknown format is rejected", async (t) => {
    const cwd = await makeFolder(t, helper);
    const both = await muster(["agents", "validate", "--json", "--format", "sarif"], { cwd });
    assert.deepEqual([both.code, JSON.parse(both.out).code], [2, "USAGE"]);
    const unknown = await muster(["agents", "validate", "--format", "xml"], { cwd });
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /Allowed choices are text, json, sarif, github/);
  });
});
