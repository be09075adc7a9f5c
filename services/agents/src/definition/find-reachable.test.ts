import assert from "node:assert/strict";
import type { Format } from "@muster/language";
import { test } from "vitest";
import type { AgentStore } from "../store/agents.ts";
import { findReachable } from "./find-reachable.ts";

/** A store that has every agent, and the slugs that it was asked for. */
function storeOf(agentAt: (slug: string) => { format: Format; workers: string[] }) {
  const asked: string[][] = [];
  const findWorkers: AgentStore["findWorkers"] = async (_projectId, slugs) => {
    asked.push([...slugs]);
    return slugs.map((slug) => {
      const { format, workers } = agentAt(slug);
      return { slug, settings: { slug, name: slug, format }, workers };
    });
  };
  return { asked, findWorkers };
}

test("each worker is looked up once, and declarations of agents of another format are ignored", async () => {
  const { asked, findWorkers } = storeOf((slug) => ({
    format: slug === "chat" ? "interactive" : "worker",
    workers: slug === "chat" ? ["hidden"] : ["a", "b", "chat"],
  }));
  const found = await findReachable({ findWorkers }, "prj_one", ["a"]);
  assert.deepEqual([...found.keys()], ["a", "b", "chat"]);
  assert.deepEqual(asked, [["a"], ["b", "chat"]]);
});

test("the number of workers that are followed is limited, in total and per query", async () => {
  let agents = 0;
  const { asked, findWorkers } = storeOf(() => ({
    format: "worker",
    workers: agents > 20_000 ? [] : Array.from({ length: 100 }, () => `w${agents++}`),
  }));
  const found = await findReachable({ findWorkers }, "prj_one", ["root"]);
  assert.ok(found.size >= 1_000 && found.size < 1_200, `${found.size}`);
  assert.ok(asked.every((slugs) => slugs.length <= 128));
});
