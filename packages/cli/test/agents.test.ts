import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster agents list, show, versions, diff and archive", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let client: Workplace["client"];
  let cwd = "";
  let at = { cwd };
  beforeAll(async () => {
    ({ run, client } = await startWorkplace(scope));
    cwd = await makeFolder(scope, helper);
    at = { cwd };
  });

  test("agents list in an empty project shows how to create an agent", async () => {
    const { code, out, err } = await run(["agents", "list"]);
    assert.deepEqual([code, out], [0, ""]);
    assert.match(err, /agents push/);
    assert.deepEqual(JSON.parse((await run(["agents", "list", "--json"])).out), { agents: [] });
  });

  test("agents list shows one agent per line", async () => {
    assert.equal((await run(["agents", "push", "--yes"], at)).code, 0);
    const { out } = await run(["agents", "list"]);
    assert.match(out, /^SLUG +NAME +FORMAT +UPDATED +ID\nhelper +Helper +interactive +\d{4}-.*Z +agt_\w+\n$/);
    const [agent] = JSON.parse((await run(["agents", "list", "--json"])).out).agents;
    assert.equal(agent.slug, "helper");
  });

  test("agents show prints every file of any version, by slug or id", async () => {
    await writeFiles(cwd, { "prompts/system.md": "New\n" });
    assert.equal((await run(["agents", "push", "--yes"], at)).code, 0);
    const { out } = await run(["agents", "show", "helper"]);
    assert.match(out, /^Helper \(helper, interactive\), version 2, agt_\w+$/m);
    assert.match(out, /^== prompts\/system\.md\nNew$/m);
    const { id } = await client.json(200, "GET", "/api/agents/helper?by=slug");
    const first = JSON.parse((await run(["agents", "show", String(id), "--version", "1", "--json"])).out);
    assert.deepEqual([first.version, first.prompts[0].content], [1, "You help.\n"]);
  });

  test("agents versions lists the changes of each version", async () => {
    const { out } = await run(["agents", "versions", "helper"]);
    assert.match(out, /^VERSION +CREATED +CHANGES\n2 +\S+Z +prompts\n1 +\S+Z +created\n$/);
    const { versions } = JSON.parse((await run(["agents", "versions", "helper", "--json"])).out);
    assert.deepEqual(versions[0].changes, ["prompts"]);
    assert.match(
      (await run(["agents", "versions", "nobody"])).err,
      /Agent nobody does not exist in this project.*\nTo list the agents, run: muster agents list\n/,
    );
  });

  test("agents diff compares the last two versions, any two versions, and a folder with the server", async () => {
    const versions = await run(["agents", "diff", "helper"]);
    assert.equal(versions.code, 1);
    assert.match(versions.out, /^-You help\.\n\+New$/m);
    const back = await run(["agents", "diff", "helper", "--from", "2", "--to", "1"]);
    assert.match(back.out, /^-New\n\+You help\.$/m);
    const same = await run(["agents", "diff", "helper", "--from", "1", "--to", "1"]);
    assert.deepEqual([same.code, same.out], [0, "No difference between helper version 1 and version 1.\n"]);
    assert.equal((await run(["agents", "diff", "."], at)).code, 0);
    const older = await run(["agents", "diff", ".", "--from", "1", "--json"], at);
    assert.equal(older.code, 1);
    assert.equal(JSON.parse(older.out).changes[0].path, "prompts/system.md");
    const unknown = await run(["agents", "diff", "helper", "--to", "9"]);
    assert.match(
      unknown.err,
      /Version 9 of agent helper does not exist.*\nTo list its versions, run: muster agents versions helper\n/,
    );
    const nothing = await run(["agents", "diff", "./nowhere"], at);
    assert.deepEqual([nothing.code, /neither an agent folder/.test(nothing.err)], [1, true]);
  });

  test("agents validate --server adds findings that only the server can make", async (t) => {
    const workers = "workers:\n  absent-worker: { description: Works }\n";
    const protocol = helper["protocol.yaml"].replace("  agentic", "  workers: [absent-worker]\n  agentic");
    const folder = await makeFolder(t, { ...helper, "protocol.yaml": workers + protocol });
    const codes = async (...more: string[]) => {
      const { out } = await run(["agents", "validate", "--json", ...more], { cwd: folder });
      return JSON.parse(out).issues.map(({ code }: { code: string }) => code);
    };
    const [local, both] = [await codes(), await codes("--server")];
    assert.ok(both.length > local.length, `${local} ${both}`);
    assert.deepEqual(both.slice(0, local.length), local);
  });

  test("agents archive asks for confirmation, and releases the slug", async () => {
    const refused = await run(["agents", "archive", "helper"]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /Archive helper \(Helper\) on .*add --yes/);
    const archived = JSON.parse((await run(["agents", "archive", "helper", "--yes", "--json"])).out);
    assert.deepEqual([archived.slug, archived.archived], ["helper", true]);
    const gone = await run(["agents", "show", "helper"]);
    assert.equal(gone.code, 1);
    assert.match(gone.err, /Agent helper does not exist in this project.*\(NOT_FOUND, req_\w+\)/);
    assert.equal((await run(["agents", "push", "--yes"], at)).code, 0);
  });
});
