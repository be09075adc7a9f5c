import assert from "node:assert/strict";
import type { Display, ThreadConfig } from "@muster/language";
import { describe, test } from "vitest";
import { answer, call, results, start, text } from "../../test/support/model-parts.ts";
import { lines, play } from "../../test/support/play.ts";
import { ask, open, type ProgramParts, programOf, say, workerOf } from "../../test/support/programs.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const names = ["beep", "page__click", "screen__shoot", "tracker__find", "lost__x", "shell__run", "__x"];
const dynamicTools = names.map((name) => ({ name, description: `About ${name}`, inputSchema: {} }));
const servers = { page: { source: "consumer" }, screen: { source: "device" }, tracker: {} } as const;
const blocks = [say("Hello"), ask()];
const lists = ["platform_mcp_list", "platform_mcp_activate"];
const ours = ["beep", "shell__run", "__x"];

function offered(agent: Partial<ThreadConfig>, more: Partial<ProgramParts> = {}) {
  const { calls } = play(programOf({ blocks, agent, mcpServers: servers, ...more }), [start], {
    dynamicTools,
  });
  return calls.at(-1)?.options.tools?.map(({ name }) => name);
}

describe("the caller's tools of MCP servers", () => {
  test("a thread has those of the caller's servers that it lists, and none of a remote or undeclared one", () => {
    assert.deepEqual(offered({}), ours);
    assert.deepEqual(offered({ mcpServers: ["page", "tracker"] }), [
      ...lists,
      "beep",
      "page__click",
      "shell__run",
      "__x",
    ]);
    const all = ["beep", "page__click", "screen__shoot", "shell__run", "__x"];
    assert.deepEqual(offered({ mcpServers: ["page", "screen"] }), all);
  });

  test("a thread with servers on demand has those of its sources and the undeclared ones, but no remote one", () => {
    assert.deepEqual(offered({ onDemandMcpServers: ["remote"] }), ours);
    const all = ["beep", "screen__shoot", "lost__x", "shell__run", "__x"];
    assert.deepEqual(offered({ onDemandMcpServers: ["device"] }), all);
  });

  test("a named thread has those of the servers that its block lists, and no other tool of the caller", () => {
    const named = [
      open("side", { mcpServers: ["page"] }),
      say("Hello", { thread: "side" }),
      ask({ thread: "side" }),
    ];
    assert.deepEqual(offered({}, { blocks: named }), ["page__click"]);
  });

  test("a worker that is executed has the tools of its servers on every thread", () => {
    const steps = [
      open("work", { mcpServers: ["page"] }),
      say("Hello", { thread: "work" }),
      ask({ thread: "work" }),
    ];
    const { calls } = play(workerOf({ steps, mcpServers: servers }), [start], { dynamicTools });
    assert.deepEqual(
      calls[0]?.options.tools?.map(({ name }) => name),
      ["beep", "page__click", "shell__run", "__x"],
    );
  });

  test("a disabled capability removes the tools of its servers, the computer's too", () => {
    const capabilities = { web: { default: false, mcpServers: ["page", "shell"] } };
    assert.deepEqual(offered({ mcpServers: ["page", "screen"] }, { capabilities }), [
      "beep",
      "screen__shoot",
      "__x",
    ]);
  });

  test("a model's call of a tool that was dropped fails with an error that says why", () => {
    const called = ["lost__x", "tracker__find", "page__scroll"];
    const agent = { mcpServers: ["page", "tracker"] };
    const { events } = play(
      programOf({ blocks, agent, mcpServers: servers }),
      [start, ...answer(...called.map((name) => call(name, name)))],
      { dynamicTools },
    );
    assert.deepEqual(
      lines(events).filter((line) => line.startsWith("tool-output-error")),
      [
        'tool-output-error lost__x The tool "lost__x" does not exist.',
        'tool-output-error tracker__find The MCP server "tracker" is not active. Activate it with platform_mcp_activate.',
        'tool-output-error page__scroll The tool "page__scroll" belongs to the MCP server "page", which does not offer it in this turn.',
      ],
    );
  });
});

/** The parts that the stream and a later read show of a call, with another name for the tool. */
function shown(parts: Partial<ProgramParts>, name: string, as: string) {
  const { events, machine } = play(
    programOf({ blocks, ...parts }),
    [start, ...answer(call("c1", name, { at: 3 })), results({ c1: "Done" }), ...answer(text("Hi"))],
    { dynamicTools },
  );
  return JSON.stringify([events, toUiMessages(machine.conversation)]).replaceAll(name, as);
}

describe("the view that users have of a server's tool", () => {
  const displays: Display[] = ["hidden", "name", "title", "description", "stream"];
  for (const display of displays) {
    test(`the tools of a server with display ${display} are shown like a declared tool with it, live and later`, () => {
      for (const titles of [{}, { title: "Page" }]) {
        const server = { source: "consumer", display, ...titles } as const;
        const agent = { mcpServers: ["page"] };
        const ofServer = shown({ agent, mcpServers: { page: server } }, "page__click", "find");
        const title = "title" in titles ? { titles: { find: titles.title } } : {};
        assert.equal(ofServer, shown({ tools: { find: display }, ...title }, "find", "find"));
      }
    });
  }

  test("the tools of a server on demand have the display of its source", () => {
    const agent = { onDemandMcpServers: ["device"] } as const;
    const device = { display: "name", execution: "sandbox" } as const;
    assert.equal(
      shown({ agent, onDemandMcpServers: { device } }, "lost__x", "find"),
      shown({ tools: { find: "name" } }, "find", "find"),
    );
  });

  test("the computer's tools stream under their names, unless the definition says otherwise", () => {
    const streamed = shown({ tools: { find: "stream" }, titles: { find: "find" } }, "find", "find");
    assert.equal(shown({}, "shell__run", "find"), streamed.replaceAll(/,"title":"find"/g, ""));
    const mcpServers = { shell: { display: "name" } } as const;
    assert.equal(
      shown({ mcpServers }, "shell__run", "find"),
      shown({ tools: { find: "name" } }, "find", "find"),
    );
  });
});
