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
} from "../testing.ts";

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
    "an image stored as text": [
      "generate-image, prompt: SUMMARY, imageModel: openai/x, output: SUMMARY",
      ["WRONG_TYPE", inHandler("More", ".output")],
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
