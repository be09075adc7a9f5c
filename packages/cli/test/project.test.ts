import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { CliError } from "../src/exit.ts";
import { Api } from "../src/http/api.ts";
import { applySteps } from "../src/project/apply-steps.ts";
import { planSteps } from "../src/project/plan-steps.ts";
import { readServer } from "../src/project/read-server.ts";
import { bytesOf, helper, makeFolder, writeFiles } from "./support/folders.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const projectYaml = `mcpServers:
  issue-tracker:
    url: https://mcp.example/mcp
    auth: { type: bearer, token: { secretRef: env:ISSUE_TRACKER_TOKEN } }
    headers: { X-Tenant: { secretRef: env:ISSUE_TRACKER_X_TENANT } }
    tools: [get_*]
workforce:
  night-reader:
    name: Night reader
    definition: agents/reader
    settings: { thinking: high }
    limits: { monthlyUsd: 12.5 }
    approvals: { shell: ask }
    paused: true
    schedules:
      nightly: { name: Nightly, cron: "0 3 * * *", timezone: Europe/Berlin, message: Read the logs., jitterMs: 5000 }
    hooks:
      issues:
        name: Issues
        verify: { type: github, secret: { secretRef: env:NIGHT_READER_HOOKS_ISSUES_SECRET } }
        message: "{{ISSUE_TITLE}}"
        filter: { type: object, required: [issue] }
  lou: { name: Lou, definition: prebuilt/log-analyst }
webhooks:
  ops:
    url: https://ops.example/muster
    events: [thread.failed, thread.completed]
    agent: workforce/lou
    description: For the pager
identityProviders:
  acme/Shop 100%:
    issuer: https://shop.example
    conditions: [{ claim: role, equals: [support] }]
    scope: { agent: agents/helper, subjectClaim: sub }
project:
  limits: { monthlyUsd: 100, perSubject: { monthlyUsd: 5 } }
  approvals: { refund: ask }
  toolHosts: [{ host: api.example.com }, { host: evil.example, untrusted: true }]
`;

const files = {
  "muster.yaml": projectYaml,
  ...Object.fromEntries(Object.entries(helper).map(([path, text]) => [`agents/helper/${path}`, text])),
  ...Object.fromEntries(Object.entries(helper).map(([path, text]) => [`agents/reader/${path}`, text])),
  "agents/reader/settings.json": '{ "slug": "reader", "name": "Reader", "format": "interactive" }\n',
};

const secrets = {
  ISSUE_TRACKER_TOKEN: "token-0123456789",
  ISSUE_TRACKER_X_TENANT: "acme",
  NIGHT_READER_HOOKS_ISSUES_SECRET: "hook-secret-0123456789",
};
const settings = { MUSTER_SECRETS_KEY: "ab".repeat(32) };

describe("a project as files", () => {
  const scope = suiteScope();
  let [first, second]: [Workplace?, Workplace?] = [];
  beforeAll(async () => {
    [first, second] = await Promise.all([startWorkplace(scope, settings), startWorkplace(scope, settings)]);
  });

  /** Runs a command in a folder, at an installation. */
  const at =
    (workplace: Workplace | undefined, cwd: string) =>
    async (...args: string[]) => {
      assert.ok(workplace);
      return await workplace.run(args, { cwd, env: secrets });
    };

  test("everything of a project is exported and applied into an empty installation, whose export has the same bytes", async (t) => {
    const folder = await makeFolder(t, files);
    const run = at(first, folder);
    const missing = await first?.run(["apply"], { cwd: folder });
    assert.equal(missing?.code, 2);
    assert.match(
      missing.err,
      /ISSUE_TRACKER_TOKEN, ISSUE_TRACKER_X_TENANT, NIGHT_READER_HOOKS_ISSUES_SECRET/,
    );
    const differing = await run("diff", "--exit-code");
    assert.equal(differing.code, 2, differing.err);
    const applied = await run("apply");
    assert.equal(applied.code, 0, applied.err);
    assert.match(applied.out, /^\+ create mcpServers\/issue-tracker\n\+ create agents\/helper\n/);
    const same = await first?.run(["diff", "--exit-code"], { cwd: folder });
    assert.deepEqual([same?.code, same?.out], [0, "No differences.\n"], same?.err);
    assert.equal((await run("apply")).out, "Nothing to change.\n");
    const [exported, again] = [await makeFolder(t), await makeFolder(t)];
    assert.equal((await at(first, exported)("export")).code, 0);
    const copied = await at(second, exported)("apply");
    assert.equal(copied.code, 0, copied.err);
    assert.equal((await at(second, again)("export")).code, 0);
    const bytes = await bytesOf(exported);
    assert.deepEqual(await bytesOf(again), bytes);
    assert.ok(!JSON.stringify(bytes).includes("secret-0123456789"));
    assert.ok(!JSON.stringify(bytes).includes("token-0123456789"));
    assert.equal(Object.keys(bytes).length, 9);
  });

  test("a change shows its lines, and only resources that apply manages are pruned", async (t) => {
    const folder = await makeFolder(t, files);
    const run = at(first, folder);
    assert.equal((await run("apply")).code, 0);
    assert.equal(
      (await run("webhooks", "create", "https://own.example/", "--event", "thread.failed")).code,
      0,
    );
    await rm(join(folder, "agents/reader"), { recursive: true });
    const changed = projectYaml
      .replace(/ {2}night-reader:[\s\S]*?(?= {2}lou:)/, "")
      .replace("For the pager", "For everyone");
    await writeFiles(folder, {
      "muster.yaml": changed,
      "agents/helper/prompts/system.md": "You help a lot.\n",
    });
    const shown = await run("diff", "--prune");
    assert.match(shown.out, /^~ update agents\/helper: prompts$/m);
    assert.match(shown.out, /^\+You help a lot\.$/m);
    assert.match(shown.out, /^-description: For the pager\n\+description: For everyone$/m);
    const pruned = await run("apply", "--prune");
    assert.equal(pruned.code, 0, pruned.err);
    assert.equal(
      pruned.out,
      [
        ...["~ update agents/helper: prompts", "~ update webhooks/ops: description"],
        "- delete workforce/night-reader/hooks/issues",
        "- delete workforce/night-reader/schedules/nightly",
        ...["- delete workforce/night-reader", "- delete agents/reader", ""],
      ].join("\n"),
    );
    assert.match((await run("webhooks", "list")).out, /own\.example/);
    assert.equal((await run("diff", "--prune", "--exit-code")).code, 0);
    await rm(join(folder, "muster.yaml"));
    assert.match((await run("apply", "--prune")).err, /needs muster\.yaml and the folder agents for --prune/);
    await writeFiles(folder, { "agents/helper/prompts/system.md": "Not pushed yet.\n" });
    assert.match((await run("export")).err, /agents\/helper has other contents/);
    assert.equal((await run("export", "--force")).code, 0);
  });

  test("a change that someone else makes after the plan is reported and kept", async () => {
    assert.ok(second);
    const { url, key } = second;
    const created = await second.run([
      "webhooks",
      "create",
      "https://shared.example/",
      "--event",
      "thread.failed",
      "--json",
    ]);
    const { id } = JSON.parse(created.out);
    const api = new Api(url, { key });
    const stored = await readServer(api);
    const found = stored.find((each) => each.id === id);
    assert.ok(found);
    const wanted = { ...found, fields: { ...found.fields, description: "Ours" } };
    const steps = planSteps([wanted], stored);
    assert.equal((await second.run(["webhooks", "update", id, "--description", "Theirs"])).code, 0);
    await assert.rejects(
      applySteps(api, steps, { stored, env: {}, onStep: () => {} }),
      (error) => error instanceof CliError && error.code === "CHANGED_ON_SERVER",
    );
    const [kept] = (await readServer(api)).filter((each) => each.id === id);
    assert.equal(kept?.fields.description, "Theirs");
  });

  test("a failure in the middle leaves the steps before it, and the next apply makes the others", async (t) => {
    const folder = await makeFolder(t, {
      "muster.yaml": `webhooks:
  early: { url: https://early.example/, events: [thread.failed] }
  late: { url: http://127.0.0.1:9/, events: [thread.failed] }
  later: { url: https://later.example/, events: [thread.failed] }
`,
    });
    const run = at(second, folder);
    const broken = await run("apply");
    assert.equal(broken.code, 1);
    assert.equal(broken.out, "+ create webhooks/early\n+ create webhooks/late\n");
    assert.match(broken.err, /webhooks\/late: .*The changes before it were made/);
    await writeFiles(folder, {
      "muster.yaml": `webhooks:
  early: { url: https://early.example/, events: [thread.failed] }
  late: { url: https://late.example/, events: [thread.failed] }
  later: { url: https://later.example/, events: [thread.failed] }
`,
    });
    assert.equal((await run("apply")).out, "+ create webhooks/late\n+ create webhooks/later\n");
    assert.equal((await run("diff", "--exit-code")).code, 0);
  });

  test("a mistyped key, a plain secret and a fixed field are refused with their lines before anything changes", async (t) => {
    const folder = await makeFolder(t, {
      "muster.yaml": `webhoks: {}
webhooks:
  Ops: { urll: https://ops.example/, events: [thread.failed] }
mcpServers:
  tracker:
    url: https://mcp.example/
    auth: { type: bearer, token: { secretRef: TRACKER } }
    headers: { X-Tenant: acme }
    tools: { secretRef: env:TOOLS }
`,
    });
    const { code, err } = await at(second, folder)("apply");
    assert.equal(code, 1);
    for (const line of [
      'UNKNOWN_KEY muster.yaml: Line 1, column 1: Unknown key "webhoks". Did you mean webhooks?',
      "INVALID_NAME muster.yaml: Line 3, column 3: ",
      'UNKNOWN_KEY muster.yaml: Line 3, column 10: Unknown key "urll". Did you mean url?',
      "MISSING_FIELD muster.yaml: Line 3, column 8: The key url is missing.",
      "WRONG_TYPE muster.yaml: Line 7, column 34: A secret must be { secretRef: env:NAME }",
      "WRONG_TYPE muster.yaml: Line 8, column 26: A secret must be { secretRef: env:NAME }",
      "WRONG_TYPE muster.yaml: Line 9, column 12: Only credentials can be a secretRef.",
    ])
      assert.ok(err.includes(line), `${line}\n${err}`);
  });
});
