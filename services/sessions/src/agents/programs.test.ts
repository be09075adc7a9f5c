import assert from "node:assert/strict";
import { createContextValues, createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import { AgentsService, Format } from "@muster/proto/agents";
import { createRpcClient, principalHeader, Reason, readRpcError, rpcError } from "@muster/rpc";
import { describe, test } from "vitest";
import { createPrograms } from "./programs.ts";

const protocol = "steps: { Open: { block: start-thread, thread: work, model: demo/echo } }";
const pinned = (agentId: string) => ({ projectId: "prj_1", agentId, agentVersion: 1 });

/** Programs over an agents service that has a worker, with a text of that length, under every id but `agt_none`. */
function setUp(promptLength = 0, limits?: Parameters<typeof createPrograms>[1]) {
  const reads: string[] = [];
  const heads: string[] = [];
  const state = { isMissing: false };
  const transport = createRouterTransport(({ service }) =>
    service(AgentsService, {
      getAgentHead: ({ by }) => {
        heads.push(by.value ?? "");
        if (state.isMissing) throw rpcError(Reason.NOT_FOUND, "Not yet.");
        return { agentId: by.value ?? "", projectId: "prj_1", slug: "w", version: 1 };
      },
      getDefinition: ({ agentId }) => {
        reads.push(agentId);
        if (agentId === "agt_none") throw rpcError(Reason.NOT_FOUND, "There is none.");
        const settings = { slug: "w", name: "W", format: Format.WORKER };
        const prompts = [{ name: "long", content: "x".repeat(promptLength) }];
        const definition = { settings, protocol, prompts, references: [] };
        return { agent: { id: agentId, projectId: "prj_1", version: 1, definition }, archived: false };
      },
    }),
  );
  const programs = createPrograms(createRpcClient(AgentsService, transport), limits);
  const load = (agentId: string) => programs.pinned(pinned(agentId), "worker", call);
  return { reads, heads, state, load, programs };
}

const { signal } = new AbortController();
const call = {
  requestHeader: new Headers(),
  values: createContextValues(),
  signal,
  timeoutMs: () => undefined,
} as HandlerContext;

describe("compiled programs", () => {
  test("a program is fetched once for concurrent callers and not again", async () => {
    const { reads, load } = setUp();
    const [first, ...others] = await Promise.all([load("agt_1"), load("agt_1"), load("agt_1")]);
    assert.ok([...others, await load("agt_1")].every((program) => program === first));
    assert.deepEqual(reads, ["agt_1"]);
  });

  test("cached programs are limited by the length of their sources; the least recently used goes first", async () => {
    const { reads, load } = setUp(1_000, { maxSourceLength: 2_500 });
    for (const agentId of ["agt_1", "agt_2", "agt_1", "agt_3", "agt_1", "agt_2"]) await load(agentId);
    assert.deepEqual(reads, ["agt_1", "agt_2", "agt_3", "agt_2"]);
  });

  test("cached programs differ by project, agent and version", async () => {
    const { reads, programs } = setUp();
    const one = pinned("agt_1");
    const others = [{ ...one, projectId: "prj_2" }, { ...one, agentVersion: 2 }, pinned("agt_2")];
    for (const agent of [one, ...others, one]) await programs.pinned(agent, "worker", call);
    assert.equal(reads.length, 4);
  });

  test("a program of another project is not found, even if the agents service returns it", async () => {
    const { programs } = setUp();
    await assert.rejects(
      programs.latest({ agentId: "agt_1" }, "prj_2", call, "Archived."),
      (error) => readRpcError(error).reason === Reason.NOT_FOUND,
    );
  });

  test("the latest program is taken from the cache unless another version has been published", async () => {
    const { reads, programs } = setUp();
    for (const name of [{ agentId: "agt_1" }, { agentId: "agt_1" }, { agentId: "agt_1" }]) {
      const latest = await programs.latest(name, "prj_1", call, "Archived.");
      assert.deepEqual([latest.agentId, latest.agentVersion, latest.slug], ["agt_1", 1, "w"]);
    }
    assert.deepEqual(reads, ["agt_1"]);
  });

  test("callers of one moment share a question, and the next one asks again; another caller asks for itself", async () => {
    const { heads, programs } = setUp();
    const ask = (from = call) => programs.latest({ agentId: "agt_1" }, "prj_1", from, "Archived.");
    const other = { ...call, requestHeader: new Headers({ [principalHeader]: "other" }) };
    await Promise.all([ask(), ask(), ask(), ask(other)]);
    assert.equal(heads.length, 2);
    await ask();
    assert.equal(heads.length, 3);
  });

  test("callers that share a question share its failure, and the next one asks again", async () => {
    const { heads, programs, state } = setUp();
    state.isMissing = true;
    const ask = () => programs.latest({ agentId: "agt_1" }, "prj_1", call, "Archived.");
    const failed = await Promise.allSettled([ask(), ask(), ask()]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    state.isMissing = false;
    assert.equal((await ask()).agentId, "agt_1");
    assert.equal(heads.length, 2);
  });

  test("a program that could not be fetched is fetched again", async () => {
    const { reads, load } = setUp();
    for (const _ of [1, 2]) {
      await assert.rejects(load("agt_none"), (error) => readRpcError(error).reason === Reason.NOT_FOUND);
    }
    assert.equal(reads.length, 2);
  });

  test("a program of the other format is never run", async () => {
    const { programs } = setUp();
    await assert.rejects(programs.pinned(pinned("agt_1"), "interactive", call), /not interactive/);
  });
});
