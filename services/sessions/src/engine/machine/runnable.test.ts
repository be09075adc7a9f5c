import assert from "node:assert/strict";
import { type Block, blocksNotRunYet, type ThreadConfig, threadKeysNotRunYet } from "@muster/protocol";
import { describe, test } from "vitest";
import { answer, call, start, text } from "../testing/model-parts.ts";
import { countingEnvironment, emptyConversation, lines, play } from "../testing/play.ts";
import { ask, open, programOf, say } from "../testing/programs.ts";

const base = { id: "", display: "stream", thread: "main", name: "Research" } as const;
const missing: Record<string, Block> = {
  "run-worker": { ...base, kind: "run-worker", worker: "helper", input: [] },
  "generate-image": { ...base, kind: "generate-image", prompt: "TEXT", referenceImages: [] },
};

const configs: Record<string, [Partial<ThreadConfig>, string]> = {
  workers: [{ workers: ["helper"] }, "calling workers is"],
  mcpServers: [{ mcpServers: ["files"] }, "MCP servers are"],
  skills: [{ skills: ["draw"] }, "skills are"],
  webSearch: [{ webSearch: true }, "web search is"],
  imageModel: [{ imageModel: "demo/draw" }, "generating images is"],
  contextManagement: [
    { contextManagement: { thresholdPercent: 80, recentPercent: 20 } },
    "context management is",
  ],
};

describe("features that do not run yet", () => {
  test("an unavailable feature fails its block by name before any model call, and the session stays usable", () => {
    const environment = countingEnvironment();
    const conversation = emptyConversation();
    const program = programOf({ blocks: [say("Hello"), missing["run-worker"] ?? ask()] });
    const played = play(program, [start], { environment, conversation });
    assert.deepEqual(played.events.at(-1), {
      type: "error",
      errorType: "protocol_error",
      message: 'Block "Research" cannot run: running workers is not available on this server yet.',
      source: "platform",
      retryable: false,
    });
    assert.deepEqual([played.outcome, played.calls.length], ["failed", 0]);
    const { calls, outcome } = play(
      programOf({ blocks: [say("Again"), ask()] }),
      [start, ...answer(text("Hi"))],
      { environment, conversation },
    );
    assert.deepEqual([calls.length, outcome], [1, "finished"]);
  });

  for (const [kind, block] of Object.entries(missing)) {
    test(`an unavailable ${kind} block is refused`, () => {
      assert.match(
        lastLine([block]),
        /^error protocol_error Block "Research" cannot run: .* is not available/,
      );
    });
  }

  for (const [key, [config, what]] of Object.entries(configs)) {
    test(`the unavailable feature ${key} fails the model calls of the thread that uses it, and of no other`, () => {
      const side = ask({ name: "Research", thread: "side" });
      const blocks = [say("Hello"), open("side", config), side];
      assert.equal(
        lastLine(blocks),
        `error protocol_error Block "Research" cannot run: ${what} not available on this server yet.`,
      );
      const { calls } = play(programOf({ blocks: [say("Hello"), open("side", config), ask()] }), [start]);
      assert.equal(calls.length, 1);
    });
  }

  test("a message with files is refused", () => {
    assert.match(lastLine([say("Look", { files: ["PHOTO"] })]), /files in messages are not available/);
  });

  test("every entry of the availability table has a case", () => {
    assert.deepEqual(Object.keys(missing).sort(), Object.keys(blocksNotRunYet).sort());
    assert.deepEqual(Object.keys(configs).sort(), Object.keys(threadKeysNotRunYet).sort());
  });
});

function lastLine(blocks: Block[]): string {
  return lines(play(programOf({ blocks }), [start]).events).at(-1) ?? "";
}

describe("capabilities", () => {
  const blocks = [say("Hello"), ask()];
  const tools = { find: "description", fly: "name", swim: "name", walk: "name" } as const;
  const capabilities = {
    air: { default: false, tools: ["fly", "swim"] },
    water: { default: true, tools: ["swim"] },
    depth: { default: false, skills: ["dive"], mcpServers: ["sonar"] },
  };

  test("a capability that is off removes the tools that no other capability provides", () => {
    const [called] = play(programOf({ blocks, tools, capabilities }), [start]).calls;
    assert.deepEqual(
      called?.options.tools?.map(({ name }) => name),
      ["find", "swim", "walk"],
    );
  });

  test("a call of a removed tool fails like a call of an unknown tool", () => {
    const { events } = play(programOf({ blocks, tools: { ...tools, fly: "stream" }, capabilities }), [
      start,
      ...answer(call("c1", "fly")),
    ]);
    assert.ok(lines(events).includes('tool-output-error c1 The tool "fly" does not exist.'));
  });

  test("an unavailable feature that only a disabled capability needs does not stop a turn", () => {
    const agent = { skills: ["dive"], mcpServers: ["sonar"] };
    const program = programOf({ blocks, capabilities, agent });
    assert.equal(play(program, [start]).calls.length, 1);
  });
});
