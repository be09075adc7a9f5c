import assert from "node:assert/strict";
import {
  type Block,
  type JsonValue,
  type KindNotRunYet,
  type ThreadConfig,
  threadKeysNotRunYet,
} from "@muster/language";
import { describe, test } from "vitest";
import { answer, call, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, lines, play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";

const base = { id: "", display: "stream", thread: "main", name: "Research" } as const;
const missing: Record<KindNotRunYet, Block> = {
  "generate-image": { ...base, kind: "generate-image", prompt: "TEXT", referenceImages: [] },
  "generate-speech": { ...base, kind: "generate-speech", text: "TEXT", format: "mp3" },
  "transcribe-audio": { ...base, kind: "transcribe-audio", audio: "TEXT" },
};

const configs: Record<string, Partial<ThreadConfig>> = {
  skills: { skills: ["draw"] },
  onDemandSkills: { onDemandSkills: true },
  sandboxTimeout: { sandboxTimeoutMs: 1_000 },
  webSearch: { webSearch: true },
  imageModel: { imageModel: "demo/draw" },
  speechModel: { speechModel: "demo/speak" },
  speechVoice: { speechVoice: "alloy" },
  transcriptionModel: { transcriptionModel: "demo/listen" },
  videoModel: { videoModel: "demo/film" },
};

describe("features that do not run yet", () => {
  test("an unavailable feature fails its block by name before any model call, and the session stays usable", () => {
    const environment = countingEnvironment();
    const conversation = emptyConversation();
    const program = programOf({ blocks: [say("Hello"), missing["generate-image"]] });
    const played = play(program, [start], { environment, conversation });
    assert.deepEqual(played.events.at(-1), {
      type: "error",
      errorType: "protocol_error",
      message: 'Block "Research" cannot run: generating images is not available on this server yet.',
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

  for (const [key, config] of Object.entries(configs)) {
    test(`the model works without the unavailable feature ${key} that its thread lists`, () => {
      const program = programOf({ blocks: [say("Hello"), ask()], agent: config });
      const { calls, outcome } = play(program, [start, ...answer(text("Hi"))]);
      assert.deepEqual([calls.length, calls[0]?.options.tools ?? [], outcome], [1, [], "finished"]);
    });
  }

  test("a model's call of a listed worker that does not exist, or of a server that is not active, fails with an error that says why", () => {
    const agent = { workers: ["helper"], mcpServers: ["tracker"] };
    const mcpServers = { tracker: {} };
    const { events } = play(programOf({ blocks: [say("Hello"), ask()], agent, mcpServers }), [
      start,
      ...answer(call("c1", "helper"), call("c2", "tracker__search")),
    ]);
    const errors = lines(events).filter((line) => line.startsWith("tool-output-error"));
    assert.deepEqual(errors, [
      'tool-output-error c1 The worker "helper" does not exist.',
      'tool-output-error c2 The MCP server "tracker" is not active. Activate it with platform_mcp_activate.',
    ]);
  });

  test("a message has the files that were sent, and runs without", () => {
    const photo = { id: "file_1", mediaType: "image/png", url: "https://example.org/a.png" };
    const filesOf = (defaults: Record<string, JsonValue>) => {
      const blocks = [say("Look", { files: ["PHOTO", "PHOTOS"] }), ask()];
      const { machine } = play(programOf({ blocks, defaults }), [start, ...answer(text("Hi"))]);
      return machine.conversation.messages[0]?.parts.slice(1);
    };
    for (const unsent of [{}, { PHOTO: null, PHOTOS: [] }]) assert.deepEqual(filesOf(unsent), []);
    for (const sent of [{ PHOTO: photo }, { PHOTOS: [photo] }])
      assert.deepEqual(filesOf(sent), [{ type: "file", ...photo }]);
  });

  test("every key of threads in the availability table has a case", () => {
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
