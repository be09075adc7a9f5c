import assert from "node:assert/strict";
import { cp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { bytesOf, helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const examples = resolve(import.meta.dirname, "../../../examples");
const isDefinition = (path: string) =>
  /^(settings\.json|protocol\.yaml|prompts\/.*|references\/.*)$/.test(path);

describe("muster agents push and pull", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let start: Workplace["start"];
  let client: Workplace["client"];
  let cwd = "";
  let at = { cwd };
  beforeAll(async () => {
    ({ run, start, client } = await startWorkplace(scope));
    cwd = await makeFolder(scope, helper);
    at = { cwd };
  });

  test("agents pull returns exactly what was pushed, and pushing it again changes nothing", async (t) => {
    for (const name of ["support-chat", "code-reviewer", "concierge", "form-filler"]) {
      const cwd = await makeFolder(t);
      const original = join(cwd, "original");
      await cp(join(examples, name), original, { recursive: true });
      const before = await bytesOf(original);
      assert.equal((await run(["agents", "push", "original", "--yes"], { cwd })).code, 0);
      const pulled = await run(["agents", "pull", name, "pulled"], { cwd });
      assert.deepEqual([pulled.code, pulled.err], [0, ""]);
      const definition = Object.entries(before).filter(([path]) => isDefinition(path));
      const copy = await bytesOf(join(cwd, "pulled"));
      // The example quotes references in its own way; everything else has only one form.
      const exact = (path: string) => !path.startsWith("references/") && path !== "settings.json";
      assert.deepEqual(
        Object.entries(copy).filter(([path]) => exact(path)),
        definition.filter(([path]) => exact(path)),
      );
      assert.deepEqual(Object.keys(copy).sort(), definition.map(([path]) => path).sort());
      assert.match(
        (await run(["agents", "push", "pulled"], { cwd })).out,
        /^Nothing to push: .* version 1\.$/m,
      );
      const again = await run(["agents", "pull", name, "original"], { cwd });
      assert.equal(again.out, `Pulled version 1 of ${name} into original.\n`);
      assert.deepEqual(await bytesOf(original), before);
    }
  });

  test("agents push creates nothing without consent: without a terminal, in a dry run, or after the answer n", async () => {
    const refused = await run(["agents", "push"], at);
    assert.equal(refused.code, 2);
    assert.equal(
      refused.out,
      [
        ...["NEW FILE           LINES", "settings.json      5", "protocol.yaml      24"],
        ...["prompts/system.md  1", "prompts/user.md    1", ""],
      ].join("\n"),
    );
    assert.match(refused.err, /is not a terminal\. To confirm, add --yes/);
    const dry = await run(["agents", "push", "--dry-run"], at);
    assert.deepEqual([dry.code, dry.err], [0, ""]);
    assert.match(dry.out, /^Dry run: would create helper\. Nothing was changed\.$/m);
    const asked = start(["agents", "push"], { ...at, terminal: true });
    await asked.shown(/Create helper on http.*\? \[y\/N\] /);
    asked.type("n\n");
    const declined = await asked.finished;
    assert.equal(declined.code, 1);
    assert.match(declined.err, /\[y\/N\] Nothing was changed\.\n$/);
    await client.json(404, "GET", "/api/agents/helper?by=slug");
  });

  test("agents push creates an agent, and a second push has nothing to do", async () => {
    const created = await run(["agents", "push", "--yes", "--json"], at);
    assert.equal(created.code, 0);
    const { changes, ...report } = JSON.parse(created.out);
    assert.deepEqual(report, { slug: "helper", action: "create", version: 1 });
    assert.deepEqual(
      changes.map(({ path, kind }: { path: string; kind: string }) => `${kind} ${path}`),
      ["added settings.json", "added protocol.yaml", "added prompts/system.md", "added prompts/user.md"],
    );
    const again = await run(["agents", "push"], at);
    assert.deepEqual(again, {
      code: 0,
      out: "Nothing to push: helper is up to date at version 1.\n",
      err: "",
    });
  });

  test("agents push shows a change before it makes it, and keeps CRLF and missing final line breaks", async () => {
    await writeFiles(cwd, {
      "prompts/system.md": "You help.\r\nAlways",
      "references/prices.md": "---\ndescription: 'All: prices'\n---\n---\n1 €",
      "protocol.yaml": helper["protocol.yaml"].replace("  agentic", "  references: [prices]\n  agentic"),
    });
    const asked = start(["agents", "push"], { ...at, terminal: true, env: { NO_COLOR: "1" } });
    await asked.shown(/from version 1\? \[y\/N\] /);
    asked.type("y\n");
    const { code, out } = await asked.finished;
    assert.equal(code, 0);
    assert.match(out, /^--- a\/prompts\/system\.md$/m);
    assert.match(out, /^--- \/dev\/null$/m);
    assert.match(out, /^Updated helper to version 2\.$/m);
    const agent = await client.json(200, "GET", "/api/agents/helper?by=slug");
    assert.deepEqual(agent.references, [{ name: "prices", description: "All: prices", content: "---\n1 €" }]);
    assert.deepEqual(agent.prompts, [
      { name: "system", content: "You help.\r\nAlways" },
      { name: "user", content: "{{USER_MESSAGE}}" },
    ]);
  });

  test("agents push adds and removes a description", async () => {
    const described =
      '{ "slug": "helper", "name": "Helper", "description": "Helps", "format": "interactive" }';
    await writeFiles(cwd, { "settings.json": described });
    assert.equal((await run(["agents", "push", "--yes"], at)).code, 0);
    await writeFiles(cwd, { "settings.json": helper["settings.json"] });
    assert.equal((await run(["agents", "push", "--yes"], at)).code, 0);
    const { settings } = await client.json(200, "GET", "/api/agents/helper?by=slug");
    assert.deepEqual(settings, { slug: "helper", name: "Helper", format: "interactive" });
  });

  test("agents push does not overwrite a change that someone else makes while it asks", async () => {
    await writeFiles(cwd, { "prompts/system.md": "Mine" });
    const asked = start(["agents", "push"], { ...at, terminal: true });
    await asked.shown(/from version 4\?/);
    await client.json(200, "PATCH", "/api/agents/helper?by=slug", { settings: { name: "Theirs" } });
    asked.type("y\n");
    const { code, err } = await asked.finished;
    assert.equal(code, 1);
    assert.match(err, /no longer at version 4: someone else has changed it.*\(CHANGED_ON_SERVER/s);
    const { settings, prompts } = await client.json(200, "GET", "/api/agents/helper?by=slug");
    assert.deepEqual(
      [settings, prompts],
      [
        { slug: "helper", name: "Theirs", format: "interactive" },
        [
          { name: "system", content: "You help.\r\nAlways" },
          { name: "user", content: "{{USER_MESSAGE}}" },
        ],
      ],
    );
  });

  test("the second of two users who create the same agent gets an error", async (t) => {
    const folder = await makeFolder(t, {
      ...helper,
      "settings.json": helper["settings.json"].replace("helper", "twin"),
    });
    const asked = start(["agents", "push"], { cwd: folder, terminal: true });
    await asked.shown(/Create twin/);
    assert.equal((await run(["agents", "push", "--yes"], { cwd: folder })).code, 0);
    asked.type("yes\n");
    const { code, err } = await asked.finished;
    assert.equal(code, 1);
    assert.match(err, /twin was created by someone else/);
  });

  test("agents push prints warnings and still pushes", async (t) => {
    const settings = helper["settings.json"].replace("helper", "warned");
    const files = { ...helper, "settings.json": settings, "prompts/unused.md": "" };
    const folder = await makeFolder(t, files);
    const { code, err } = await run(["agents", "push", "--yes"], { cwd: folder });
    assert.equal(code, 0);
    assert.match(err, /^prompts\/unused\.md: warning UNUSED_PROMPT: .*\n\.: 1 warning$/m);
    assert.equal((await run(["agents", "push", "--yes"], { cwd: folder })).err, err);
  });

  test("agents push rejects a folder with errors, and prints them", async (t) => {
    const folder = await makeFolder(t, { ...helper, "protocol.yaml": "agent: {}\n" });
    const { code, out, err } = await run(["agents", "push", "--yes"], { cwd: folder });
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^protocol\.yaml:1:\d+: error MISSING_FIELD/m);
    const json = await run(["agents", "push", "--yes", "--json"], { cwd: folder });
    assert.equal(JSON.parse(json.out).code, "INVALID_DEFINITION");
  });

  test("agents pull overwrites local changes only with consent, and removes prompts that the agent does not have", async () => {
    await writeFiles(cwd, { "prompts/mine.md": "Mine", "notes.md": "Not of the definition" });
    const before = await bytesOf(cwd);
    const refused = await run(["agents", "pull", "helper", "."], at);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /Overwrite or remove 3 files in \.\?.*add --force/);
    assert.match(refused.out, /^\+\+\+ \/dev\/null$/m);
    assert.deepEqual(await bytesOf(cwd), before);
    const forced = await run(["agents", "pull", "helper", ".", "--force", "--json"], at);
    assert.equal(forced.code, 0);
    assert.deepEqual(JSON.parse(forced.out), {
      slug: "helper",
      version: 5,
      folder: ".",
      changes: [
        { kind: "update", path: "settings.json" },
        { kind: "update", path: "prompts/system.md" },
        { kind: "delete", path: "prompts/mine.md" },
      ],
    });
    assert.equal(await readFile(join(cwd, "notes.md"), "utf8"), "Not of the definition");
  });

  test("agents pull does not overwrite a file that is edited while it asks", async () => {
    await writeFiles(cwd, { "prompts/system.md": "Mine" });
    const asked = start(["agents", "pull", "helper", "."], { ...at, terminal: true });
    await asked.shown(/Overwrite or remove a file in \.\?/);
    await writeFiles(cwd, { "prompts/system.md": "Mine, and more" });
    asked.type("y\n");
    const { code, err } = await asked.finished;
    assert.equal(code, 1);
    assert.match(err, /CHANGED_LOCALLY/);
    assert.equal(await readFile(join(cwd, "prompts/system.md"), "utf8"), "Mine, and more");
  });

  test("agents pull --version writes an older version to a folder named like the slug", async () => {
    await rm(join(cwd, "helper"), { recursive: true, force: true });
    const { code, out } = await run(["agents", "pull", "helper", "--version", "1"], at);
    assert.equal(code, 0);
    assert.match(out, /^wrote helper\/prompts\/system\.md$/m);
    assert.equal(await readFile(join(cwd, "helper/prompts/system.md"), "utf8"), "You help.\n");
    const wrong = await run(["agents", "pull", "helper", "--version", "x"], at);
    assert.equal(wrong.code, 2);
    assert.equal((await run(["agents", "pull", "helper", "--version", "99"], at)).code, 1);
  });
});
