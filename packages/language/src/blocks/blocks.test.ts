import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  compile,
  edited,
  errorsIn,
  extended,
  type Finding,
  programOf,
  protocol,
  replaced,
} from "../../test/support/support-chat.ts";

const inHandler = (block: string, key: string) => `handlers.user-message.${block}${key}`;

describe("blocks", () => {
  const sections = "workers: { research: { description: x } }\nresources: { WORDS: { type: 'string[]' } }\n";
  const files = [
    [
      "  COMPANY: {",
      "  PHOTO: { type: file, optional: true }\n  PHOTOS: { type: 'file[]', optional: true }\n  COMPANY: {",
    ],
    ["variables:\n", "variables:\n  PICTURE: { type: file }\n  LOG: { type: 'unknown[]' }\n"],
  ] as const;

  test("every kind of block compiles with its defaults", () => {
    const blocks = `
    Open: { block: start-thread, thread: side, model: demo/echo, maxSteps: 2, agentic: true, loopGuard: true }
    Send: { block: add-message, thread: side, role: user, prompt: user, input: [USER_MESSAGE], files: [PHOTO, PHOTOS] }
    Write: { block: serialize-thread, thread: side, output: SUMMARY }
    Write again: { block: serialize-thread, format: json, output: LOG }
    Research: { block: run-worker, worker: research, input: { TOPIC: USER_MESSAGE, DEPTH: 3 }, output: SUMMARY }
    Draw: { block: generate-image, prompt: SUMMARY, imageModel: openai/gpt-image-1, aspectRatio: "16:9", referenceImages: [PHOTO], output: PICTURE }
`;
    const text = replaced(edited(...files), "agent:\n", `${sections}agent:\n`) + blocks;
    const [, , , open, send, write, again, run, draw] =
      programOf({ protocol: text }).handlers["user-message"] ?? [];
    assert.ok(open?.kind === "start-thread" && open.thread === "side");
    assert.deepEqual([open.config.maxSteps, open.config.tools, open.display], [2, [], "hidden"]);
    assert.ok(send?.kind === "add-message" && send.thread === "side");
    assert.deepEqual(send.files, ["PHOTO", "PHOTOS"]);
    const common = { thread: "main", display: "hidden" };
    assert.deepEqual(
      { ...write },
      {
        ...common,
        id: "user-message/5",
        name: "Write",
        kind: "serialize-thread",
        thread: "side",
        format: "markdown",
        output: "SUMMARY",
      },
    );
    assert.ok(again?.kind === "serialize-thread" && again.format === "json" && again.thread === "main");
    assert.ok(run?.kind === "run-worker" && run.display === "stream");
    assert.deepEqual(run.input, [
      { name: "TOPIC", source: "USER_MESSAGE" },
      { name: "DEPTH", literal: 3 },
    ]);
    assert.ok(draw?.kind === "generate-image" && draw.display === "description");
    assert.deepEqual(
      [draw.prompt, draw.aspectRatio, draw.referenceImages, draw.output],
      ["SUMMARY", "16:9", ["PHOTO"], "PICTURE"],
    );
  });

  const wrong: Record<string, [block: string, ...findings: Finding[]]> = {
    "files from a variable of another type": [
      "add-message, role: user, prompt: user, files: [SUMMARY]",
      ["WRONG_TYPE", inHandler("More", ".files.0")],
    ],
    "files of a list of text": [
      "add-message, role: user, prompt: user, files: [WORDS]",
      ["WRONG_TYPE", inHandler("More", ".files.0")],
    ],
    "an image described by an object": [
      "generate-image, prompt: TICKET, imageModel: openai/x",
      ["WRONG_TYPE", inHandler("More", ".prompt")],
    ],
    "an image without a model": [
      "generate-image, prompt: SUMMARY",
      ["MISSING_FIELD", inHandler("More", ".imageModel")],
    ],
    "a transcript stored as an object": [
      "transcribe-audio, audio: SUMMARY, transcriptionModel: openai/x, output: TICKET",
      ["WRONG_TYPE", inHandler("More", ".output")],
    ],
    "speech without a model": [
      "generate-speech, text: SUMMARY",
      ["MISSING_FIELD", inHandler("More", ".speechModel")],
    ],
    "a speech that is too fast": [
      "generate-speech, text: SUMMARY, speechModel: openai/x, speed: 5",
      ["WRONG_TYPE", inHandler("More", ".speed")],
    ],
    "an invalid aspect ratio": [
      "generate-image, prompt: SUMMARY, imageModel: openai/x, aspectRatio: wide",
      ["WRONG_TYPE", inHandler("More", ".aspectRatio")],
    ],
    "an unknown worker": ["run-worker, worker: resaerch", ["UNKNOWN_WORKER", inHandler("More", ".worker")]],
    "a thread that no block opens": [
      "next-message, thread: side",
      ["UNKNOWN_THREAD", inHandler("More", ".thread")],
    ],
    "a serialize-thread without output": [
      "serialize-thread",
      ["MISSING_FIELD", inHandler("More", ".output")],
    ],
    "a serialised thread stored as an object": [
      "serialize-thread, output: TICKET",
      ["WRONG_TYPE", inHandler("More", ".output")],
    ],
    "a text response stored as an object": [
      "next-message, output: TICKET",
      ["WRONG_TYPE", inHandler("More", ".output")],
    ],
    "an object stored as text": [
      "next-message, responseType: Ticket, output: SUMMARY",
      ["WRONG_TYPE", inHandler("More", ".output")],
    ],
    "a parameter that the tool does not have": [
      "tool-call, tool: get-account, input: { userId: x, depe: true }",
      ["UNKNOWN_KEY", inHandler("More", ".input.depe")],
    ],
    "a missing parameter": [
      "tool-call, tool: get-account, input: { deep: true }",
      ["MISSING_FIELD", inHandler("More", ".input.userId")],
    ],
    "a tool call without parameters": [
      "tool-call, tool: get-account",
      ["MISSING_FIELD", inHandler("More", ".input.userId")],
    ],
    "a literal of the wrong type": [
      "tool-call, tool: get-account, input: { userId: x, deep: 1 }",
      ["WRONG_TYPE", inHandler("More", ".input.deep")],
    ],
    "a variable of the wrong type": [
      "tool-call, tool: get-account, input: { userId: TICKET }",
      ["WRONG_TYPE", inHandler("More", ".input.userId")],
    ],
    "arguments that are wrong in several ways": [
      "tool-call, tool: get-account, input: { deep: [], more: COMPANI }",
      ["UNDECLARED_VARIABLE", inHandler("More", ".input.more")],
      ["WRONG_TYPE", inHandler("More", ".input.deep")],
      ["UNKNOWN_KEY", inHandler("More", ".input.more")],
      ["MISSING_FIELD", inHandler("More", ".input.userId")],
    ],
  };
  for (const [what, [block, ...findings]] of Object.entries(wrong)) {
    test(`a block is rejected for ${what}`, () => {
      const blocks = `    More: { block: ${block} }\n`;
      assert.deepEqual(errorsIn({ protocol: extended({ sections, blocks }) }), findings);
    });
  }

  test("an image is stored as a file or as the text of its URL, and as nothing else", () => {
    const stored = (type: string) =>
      errorsIn({
        protocol: `${edited(["variables:\n", `variables:\n  PICTURE: { type: '${type}' }\n`])}    Draw: { block: generate-image, prompt: SUMMARY, imageModel: openai/x, output: PICTURE }\n`,
      });
    for (const type of ["file", "string", "unknown"]) assert.deepEqual(stored(type), [], type);
    for (const type of ["integer", "file[]"])
      assert.deepEqual(stored(type), [["WRONG_TYPE", inHandler("Draw", ".output")]], type);
  });

  test("the deprecated size of an image sets its ratio, unless the ratio is written", () => {
    const blocks = `    Draw: { block: generate-image, prompt: SUMMARY, imageModel: openai/x, size: 1792x1024, resolution: 2K }
    Tall: { block: generate-image, prompt: SUMMARY, imageModel: openai/x, size: 1792x1024, aspectRatio: "1:2" }
`;
    const drawn = programOf({ protocol: protocol + blocks }).handlers["user-message"]?.slice(-2) ?? [];
    assert.deepEqual(
      drawn.map((block) => block.kind === "generate-image" && [block.aspectRatio, block.resolution]),
      [
        ["16:9", "2K"],
        ["1:2", undefined],
      ],
    );
  });

  test("a thread without a name has the block's, and without a model the agent's, and nothing else of the agent", () => {
    const blocks = `    summary: { block: start-thread }
    Write: { block: next-message, thread: summary, output: SUMMARY }
`;
    const { agent, handlers } = programOf({ protocol: protocol + blocks });
    const opened = handlers["user-message"]?.find(({ kind }) => kind === "start-thread");
    assert.ok(opened?.kind === "start-thread");
    const { model, backupModel, system, tools, agentic } = opened.config;
    assert.equal(opened.thread, "summary");
    assert.deepEqual(
      [model, backupModel, system, tools, agentic],
      [agent.model, undefined, undefined, [], false],
    );
  });

  test("the agent's model in a thread is checked once, and a worker's thread needs one of its own", () => {
    const open = "    Open: { block: start-thread, thread: side }\n";
    const wrongModel = edited(["model: demo/echo", "model: demo"]) + open;
    assert.deepEqual(errorsIn({ protocol: wrongModel }), [["INVALID_MODEL", "agent.model"]]);
    const worker = { slug: "support", name: "Support", format: "worker" } as const;
    assert.deepEqual(errorsIn({ settings: worker, protocol: `steps:\n${open}` }), [
      ["MISSING_FIELD", "steps.Open.model"],
    ]);
  });

  test("options of a provider are checked against the model that a thread takes from its agent", () => {
    const open = "    Open: { block: start-thread, thread: side, anthropic: { tools: { web-search: } } }\n";
    assert.deepEqual(errorsIn({ protocol: protocol + open }), [
      ["PROVIDER_MISMATCH", inHandler("Open", ".anthropic")],
    ]);
    const fitting = edited(["model: demo/echo", "model: anthropic/claude-sonnet-4-5"]) + open;
    assert.deepEqual(errorsIn({ protocol: fitting }), []);
  });

  test("generate-image may use its thread's image model", () => {
    const blocks = `    Open: { block: start-thread, thread: art, model: demo/echo, imageModel: openai/x }
    Draw: { block: generate-image, thread: art, prompt: SUMMARY }\n`;
    assert.deepEqual(errorsIn({ protocol: protocol + blocks }), []);
    const onMain = blocks.replace("thread: art, prompt", "prompt");
    assert.deepEqual(errorsIn({ protocol: protocol + onMain }), [
      ["MISSING_FIELD", inHandler("Draw", ".imageModel")],
    ]);
  });

  test("set-resource rejects a variable whose type does not fit", () => {
    const store = (type: string) =>
      errorsIn({
        protocol: extended({
          sections: `resources: { STATE: { type: '${type}' } }\n`,
          blocks: "    Store: { block: set-resource, resource: STATE, value: SUMMARY }\n",
        }),
      });
    for (const type of ["string", "unknown"]) assert.deepEqual(store(type), [], type);
    for (const type of ["number", "Ticket", "string[]"])
      assert.deepEqual(store(type), [["WRONG_TYPE", inHandler("Store", ".value")]], type);
  });

  test("a trigger's input may hide a session name and have another type", () => {
    const hidden = edited(
      ["{ USER_MESSAGE: { type: string } }", "{ USER_MESSAGE: { type: string }, TICKET: { type: string } }"],
      ["userId: USER_MESSAGE", "userId: TICKET"],
    );
    assert.deepEqual(errorsIn({ protocol: hidden }), []);
  });

  describe("unanswered user messages", () => {
    const found = (blocks: string) =>
      compile({ protocol: extended({ blocks }) })
        .issues.filter(({ code }) => code === "UNANSWERED_MESSAGE")
        .map(({ path }) => path);
    const open = "    Open: { block: start-thread, thread: side, model: demo/echo }\n";
    const add = (name: string, rest = "") =>
      `    ${name}: { block: add-message, thread: side, role: user, prompt: user, input: [USER_MESSAGE]${rest} }\n`;

    test("an unanswered message is reported, but only the first on a thread", () => {
      assert.deepEqual(found(open + add("One") + add("Two")), [inHandler("One", "")]);
    });

    test("only a visible user message can be unanswered", () => {
      assert.deepEqual(found(open + add("One", ", visible: false")), []);
      assert.deepEqual(found(open + add("One").replace("role: user", "role: assistant")), []);
    });

    test("a message is answered by a next-message or serialize-thread block on its own thread", () => {
      assert.deepEqual(found(`${open + add("One")}    Go: { block: next-message, thread: side }\n`), []);
      assert.deepEqual(
        found(`${open + add("One")}    Write: { block: serialize-thread, thread: side, output: SUMMARY }\n`),
        [],
      );
      assert.deepEqual(found(`${open + add("One")}    Go: { block: next-message }\n`), [
        inHandler("One", ""),
      ]);
    });
  });
});
