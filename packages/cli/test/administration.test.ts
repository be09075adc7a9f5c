import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster models, keys and doctor", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let url: Workplace["url"];
  let client: Workplace["client"];
  beforeAll(async () => {
    ({ run, url, client } = await startWorkplace(scope));
    await until("it is ready", async () => (await client.request("GET", "/readyz")).status === 200);
  });

  test("muster models lists prices without a key, and filters by provider", async () => {
    const { code, out } = await run(["models"], { env: { MUSTER_API_KEY: "" } });
    assert.equal(code, 0);
    assert.match(out, /^MODEL +CONTEXT +INPUT +OUTPUT +CACHED INPUT$/m);
    assert.match(out, /^anthropic\/claude-\S+ +[\d,]+ +\$[\d.]+\+? +\$[\d.]+\+? +\$[\d.]+$/m);
    const { models } = JSON.parse((await run(["models", "--provider", "demo", "--json"])).out);
    assert.deepEqual(
      models.map(({ id }: { id: string }) => id),
      ["demo/echo"],
    );
    const none = await run(["models", "--provider", "nobody"]);
    assert.deepEqual([none.code, none.out], [0, ""]);
  });

  test("keys create prints only the key to standard output; the key works, is listed without its secret, and stops working once deleted", async () => {
    const args = [
      "keys",
      "create",
      "--name",
      "CI",
      "--permission",
      "agents",
      "sessions",
      "--permission",
      "workforce",
    ];
    const made = await run(args);
    assert.equal(made.code, 0);
    assert.match(made.out, /^svc_sk_\w+\n$/);
    assert.match(made.err, /CI.*agents, sessions, workforce/);
    const key = made.out.trim();
    const [, id = ""] = /key (key_\w+)/.exec(made.err) ?? [];
    assert.equal((await run(["agents", "list"], { env: { MUSTER_API_KEY: key } })).code, 0);
    const listed = await run(["keys", "list"]);
    assert.match(listed.out, new RegExp(`^${id} +CI +`, "m"));
    assert.ok(!listed.out.includes(key));
    assert.equal((await run(["keys", "delete", id])).code, 2);
    assert.equal((await run(["keys", "delete", id, "--yes"])).out, `Deleted ${id}.\n`);
    // Within a second, as docs/api/keys.md says.
    while ((await run(["agents", "list"], { env: { MUSTER_API_KEY: key } })).code !== 1);
  });

  test("a key for any project acts in the selected project, and creates keys for it", async (t) => {
    const project = await client.field("id", 201, "POST", "/api/admin/projects", { name: "Second" });
    const args = ["keys", "create", "--name", "There", "--permission", "agents", "--json"];
    const made = JSON.parse((await run([...args, "--project", project])).out);
    assert.equal(made.projectId, project);
    const cwd = await makeFolder(t, helper);
    assert.equal((await run(["agents", "push", "--yes", "--project", project], { cwd })).code, 0);
    const listed = async (env: Record<string, string>) => (await run(["agents", "list"], { env })).out;
    assert.match(await listed({ MUSTER_PROJECT: project }), /^helper /m);
    assert.match(await listed({ MUSTER_API_KEY: made.key }), /^helper /m);
    assert.equal(await listed({}), "");
    const unknown = await run(["agents", "list", "--project", "nowhere"]);
    assert.deepEqual([unknown.code, /project .*does not exist/.test(unknown.err)], [1, true]);
    assert.equal((await run(["agents", "list", "--project", "no such id"])).code, 2);
  });

  test("projects update adds and removes single rules of approval", async () => {
    const project = await client.field("id", 201, "POST", "/api/admin/projects", { name: "Strict" });
    const update = async (...rules: string[]) => {
      const { code, out, err } = await run(["projects", "update", project, "--approval", ...rules]);
      assert.equal(code, 0, err);
      return out;
    };
    assert.match(await update("refund=ask"), /^Approvals: refund=ask\.$/m);
    assert.match(await update("*=deny"), /^Approvals: refund=ask \*=deny\.$/m);
    assert.match(await update("refund=none"), /^Approvals: \*=deny\.$/m);
  });

  test("muster keys create --quiet and --json print nothing but the key", async () => {
    const args = ["keys", "create", "--name", "CI", "--permission", "sessions"];
    const quiet = await run([...args, "--quiet"]);
    assert.match(quiet.out, /^svc_sk_\w+\n$/);
    assert.equal(quiet.err, "");
    const json = await run([...args, "--expires", "2099-01-01", "--json"]);
    assert.equal(json.err, "");
    const made = JSON.parse(json.out);
    assert.deepEqual([made.permissions, made.expiresAt], [["sessions"], "2099-01-01T00:00:00.000Z"]);
    assert.match(made.key, /^svc_sk_/);
    assert.equal((await run([...args, "--expires", "soon"])).code, 2);
    const refused = await run(["keys", "create", "--name", "x", "--permission", "nonsense"]);
    assert.deepEqual([refused.code, /INVALID_REQUEST/.test(refused.err)], [1, true]);
  });

  test("muster doctor passes every check of a healthy server", async () => {
    const { code, out } = await run(["doctor"]);
    assert.equal(code, 0, out);
    for (const line of [
      `ok +server +${url}, with its console at ${url}/console`,
      "ok +ready +all services are available",
      "ok +version +\\d+\\.\\d+\\.\\d+",
      "ok +files +up to 10,000,000 bytes each: image/jpeg, .*, application/json",
      "ok +clock +matches the server",
      "ok +key +permissions sessions, agents, mint-tokens, workforce, approve, admin in any project \\(currently default\\)",
      "off +provider anthropic +.*ANTHROPIC_API_KEY",
      "ok +provider demo +",
    ])
      assert.match(out, new RegExp(`^${line}`, "m"));
  });

  test("muster doctor reports a wrong key and a wrong clock, and continues with the other checks", async () => {
    const now = () => Date.now() + 3_600_000;
    const { code, out } = await run(["doctor", "--json"], { env: { MUSTER_API_KEY: "svc_sk_wrong" }, now });
    assert.equal(code, 1);
    const checks: Array<{ name: string; status: string; message: string }> = JSON.parse(out).checks;
    assert.deepEqual(
      checks.map(({ name, status }) => `${name} ${status}`),
      ["server ok", "ready ok", "version ok", "files ok", "clock failed", "key failed"],
    );
    assert.match(checks[4]?.message ?? "", /by (3598|3599|3600) s/);
    const keyless = await run(["doctor"], { env: { MUSTER_API_KEY: "" } });
    assert.equal(keyless.code, 1);
    assert.match(keyless.out, /^failed +key +MUSTER_API_KEY is not set/m);
  });

  test("muster doctor reports a valid token as valid, and a key that may not mint is told which permissions it needs", async (t) => {
    const create = ["keys", "create", "--name", "k", "--quiet", "--permission"];
    const env = { MUSTER_API_KEY: (await run([...create, "mint-tokens"])).out.trim() };
    const refused = await run(["tokens", "mint", "--agent", "some-agent"], { env });
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /needs a key with the permissions mint-tokens and sessions/);
    const cwd = await makeFolder(t, helper);
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
    const agentId = await client.field("id", 200, "GET", "/api/agents/helper?by=slug");
    const token = (await run(["tokens", "mint", "--agent", agentId, "--quiet"])).out.trim();
    const { code, out } = await run(["doctor"], { env: { MUSTER_API_KEY: token } });
    assert.equal(code, 0, out);
    assert.match(out, /^ok +key +a valid token, which can only use sessions$/m);
  });

  test("muster doctor shows the permissions of a restricted key", async () => {
    const args = ["keys", "create", "--name", "little", "--permission", "workforce", "--quiet"];
    const key = (await run(args)).out.trim();
    const { code, out } = await run(["doctor"], { env: { MUSTER_API_KEY: key } });
    assert.equal(code, 0);
    assert.match(out, /^ok +key +permissions workforce in project default$/m);
    assert.match(out, /^off +providers +/m);
  });
});
