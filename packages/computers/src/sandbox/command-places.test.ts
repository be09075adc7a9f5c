import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { never } from "../../test/support/open-computers.ts";
import { createCommandPlaces } from "./command-places.ts";

/** Places whose commands run until the test ends them. */
function openPlaces(maxCommands: number) {
  const places = createCommandPlaces(maxCommands);
  const running = new Map<string, () => void>();
  const started: string[] = [];
  return {
    places,
    started,
    running: () => [...running.keys()],
    /** Its name is `project agent`. */
    add: async (name: string, timeoutSeconds = 120): Promise<void> => {
      const [projectId = "", agentId = ""] = name.split(" ");
      const run = () => {
        started.push(name);
        return new Promise<void>((resolve) => running.set(name, resolve));
      };
      void places.run({ projectId, agentId, timeoutMs: timeoutSeconds * 1_000 }, run, never);
      await turn();
    },
    end: async (name: string): Promise<void> => {
      running.get(name)?.();
      running.delete(name);
      await turn();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const agents = (project: string) => Array.from({ length: 8 }, (_, index) => `${project} agent${index}`);

describe("the places for commands", () => {
  test("the commands of one project leave half of the places to others", async () => {
    const { add, running, places } = openPlaces(4);
    for (const agent of agents("flood")) await add(agent);
    assert.equal(running().length, 2);
    await add("other agent");
    assert.ok(running().includes("other agent"));
    assert.equal(places.waiting, 6);
  });

  test("commands that may run for ten minutes never take all places, whatever the number of projects", async () => {
    const { add, running } = openPlaces(4);
    for (const project of ["a", "b", "c", "d", "e"])
      for (const agent of agents(project)) await add(agent, 600);
    assert.deepEqual(running(), ["a agent0", "b agent0"]);
    await add("other agent");
    assert.ok(running().includes("other agent"));
  });

  test("a command waits for at most one of each other project, and of each other agent of its project", async () => {
    const { add, running, started, end } = openPlaces(2);
    for (const project of ["a", "b", "c"]) for (const agent of agents(project)) await add(agent);
    await add("other busy");
    await add("other busy");
    await add("other calm");
    const waitFor = async (name: string) => {
      const before = started.length;
      while (!running().includes(name)) await end(running()[0] ?? "");
      return started.slice(before, -1);
    };
    assert.deepEqual(
      (await waitFor("other busy")).map((name) => name[0]),
      ["a", "b", "c"],
    );
    assert.deepEqual(
      (await waitFor("other calm")).filter((name) => name.startsWith("other")),
      [],
    );
  });
});
