import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import type { DefinitionSource } from "@muster/language";
import { compileDefinition } from "@muster/language/compile";
import { Reason, readRpcError, workforcePrincipal } from "@muster/rpc";
import { systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { describe, test } from "vitest";
import { installPrebuilt } from "../src/prebuilt/install.ts";
import { prebuiltAgentId, prebuiltProject } from "../src/prebuilt/prebuilt-project.ts";
import { readPrebuiltFolders } from "../src/prebuilt/read-folders.ts";
import { createAgentStore } from "../src/store/agents.ts";
import { refused, startAgents } from "./support/start-agents.ts";

const slugs = ["data-wrangler", "log-analyst", "site-checker"];

describe("the folders of pre-built agents", () => {
  test("every folder compiles without a diagnostic and takes exactly one required text", async () => {
    const sources = await readPrebuiltFolders();
    assert.deepEqual(
      sources.map(({ settings }) => settings.slug),
      slugs,
    );
    for (const source of sources) {
      const compiled = compileDefinition(source);
      assert.deepEqual(compiled.issues, [], source.settings.slug);
      assert.ok(compiled.ok);
      const { program } = compiled;
      assert.ok(program.format === "interactive");
      const input = Object.entries(program.triggers["user-message"]?.input ?? {});
      const required = input.filter(([, declared]) => declared.optional !== true);
      assert.deepEqual(
        required.map(([name, { type }]) => [name, type]),
        [["TASK", { kind: "string" }]],
      );
    }
  });

  test("the last prompt of a pre-built agent is the message, unaltered", async () => {
    for (const { prompts } of await readPrebuiltFolders()) {
      assert.equal(prompts.find(({ name }) => name === "task")?.content, "{{TASK}}");
    }
  });
});

describe("ListPrebuiltAgents", () => {
  test("lists the catalogue for hirers; no list of agents has it, and only the workforce service reads it", async (t) => {
    const { client, as } = await startAgents(t);
    const hirer = as({ permissions: ["workforce"] });
    const { agents } = await client.listPrebuiltAgents({}, hirer);
    assert.deepEqual(
      agents.map(({ slug, version }) => [slug, version]),
      slugs.map((slug) => [slug, 1]),
    );
    assert.deepEqual((await client.listAgents({}, as())).agents, []);
    const agentId = agents[0]?.agentId ?? "";
    for (const caller of [as(), hirer, as({ permissions: ["sessions"] }), as({ projectId: "prj_two" })]) {
      await assert.rejects(client.getDefinition({ agentId }, caller), refused(Reason.NOT_FOUND));
      const head = { by: { case: "agentId" as const, value: agentId } };
      await assert.rejects(client.getAgentHead(head, caller), refused(Reason.NOT_FOUND));
    }
    const { permissions, ...principal } = workforcePrincipal("prj_one");
    const workforce = as({ ...principal, permissions: [...permissions] });
    const read = await client.getDefinition({ agentId, version: 1 }, workforce);
    assert.equal(read.agent?.definition?.settings?.slug, slugs[0]);
  });

  test("refuses callers who cannot hire", async (t) => {
    const { client, as } = await startAgents(t);
    for (const caller of [
      as({ permissions: ["agents", "sessions", "mint-tokens"] }),
      as({ permissions: ["workforce"], agentId: "agt_one" }),
      as({ permissions: ["workforce"], tokenId: "tok_one" }),
    ]) {
      await assert.rejects(
        client.listPrebuiltAgents({}, caller),
        (error) => readRpcError(error).code === Code.PermissionDenied,
      );
    }
  });
});

describe("installing pre-built agents", () => {
  const source = (text: string): DefinitionSource => ({
    settings: { slug: "one", name: "One", format: "interactive" },
    protocol: "agent: { model: demo/echo }",
    prompts: [{ name: "task", content: text }],
    references: [],
  });

  test("installing again changes nothing, and a changed folder becomes the next version beside the earlier one", async (t) => {
    const { db } = await openTestStore(t);
    const agents = createAgentStore(db, "prebuilt");
    const context = { agents, clock: systemClock };
    for (const text of ["a", "a", "b", "b"]) await installPrebuilt(context, [source(text)]);
    const id = prebuiltAgentId("one");
    assert.equal((await agents.find(prebuiltProject, id))?.latestVersion, 2);
    const [first, second] = await Promise.all([1, 2].map((n) => agents.findVersion(prebuiltProject, id, n)));
    assert.equal(first?.prompts[0]?.content, "a");
    assert.deepEqual(second?.changes, ["prompts"]);
  });

  test("eight instances that start at once store each version once, also after one died before announcing it", async (t) => {
    const { db } = await openTestStore(t);
    const agents = createAgentStore(db, "prebuilt");
    const context = { agents, clock: systemClock };
    const install = (text: string) =>
      Promise.all(Array.from({ length: 8 }, () => installPrebuilt(context, [source(text)])));
    await install("a");
    const id = prebuiltAgentId("one");
    const latest = await agents.findVersion(prebuiltProject, id, 1);
    assert.ok(latest);
    await agents.insertVersion({
      ...latest,
      _id: `${id}:2`,
      version: 2,
      prompts: source("b").prompts.map((p) => ({ ...p })),
    });
    await install("b");
    assert.equal((await agents.find(prebuiltProject, id))?.latestVersion, 2);
    await install("c");
    assert.equal((await agents.find(prebuiltProject, id))?.latestVersion, 3);
  });
});
