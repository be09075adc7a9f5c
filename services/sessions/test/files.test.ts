import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { serveTls, testGuard } from "@muster/guarded-fetch/testing";
import { type ScriptedRequest, type ScriptedStep, scriptedTargets } from "@muster/models/testing";
import { Reason } from "@muster/rpc";
import { fileLimits, isInTime, pathOfFile } from "@muster/storage/files";
import { record, type TestScope } from "@muster/testing";
import { describe, test } from "vitest";
import {
  blackPng,
  type FileWorld,
  fileAgent,
  note,
  pdf,
  png,
  send,
  startFileWorld,
} from "./support/file-world.ts";
import { filesBaseUrl, messagesOf, projectId, readAll, refusal, result, textOf } from "./support/harness.ts";

const inBase64 = (content: Buffer) => content.toString("base64");
const says = (text: string) => ({ parts: [{ text }] });
const wire = ({ body }: ScriptedRequest) => JSON.stringify(body);

/** One target of each wire format takes documents as bytes. */
const takers = scriptedTargets.filter(({ modelId }) => !modelId.startsWith("xai/"));
const [local] = takers;
assert.ok(local);

async function threeFiles({ upload }: FileWorld, sessionId: string) {
  return [
    await upload(sessionId, png),
    await upload(sessionId, pdf, { mediaType: "application/pdf", filename: "report.pdf" }),
    await upload(sessionId, note, { mediaType: "text/plain", filename: "hours.txt" }),
  ];
}

describe("files in messages of users", () => {
  for (const target of takers) {
    test(`${target.modelId} over ${target.format} reads an image, a PDF and a text`, async (t) => {
      const files = await startFileWorld(t, target, [says("I see."), says("Still there.")]);
      const { world, instance, provider, open } = files;
      const sessionId = await open();
      const sent = await threeFiles(files, sessionId);
      const trigger = instance.client.trigger(send(sessionId, "Look", { FILES: sent }), world.as());
      assert.equal(textOf(await readAll(trigger)), "I see.");
      await readAll(instance.client.trigger(send(sessionId, "And now?"), world.as()));
      for (const request of provider.requests) {
        const body = wire(request);
        for (const content of [png, pdf]) assert.ok(body.includes(inBase64(content)));
        assert.ok(body.includes("File hours.txt (text/plain):\\n\\nThe café opens at nine."));
        assert.ok(!body.includes("muster.test"), "a URL is a credential");
      }
    });

    test(`${target.modelId} over ${target.format} reads the files of a tool result`, async (t) => {
      const calls = { parts: [{ toolCall: { id: "call_a", name: "scan", arguments: {} } }] };
      const files = await startFileWorld(t, target, [calls, says("Read."), says("Again.")]);
      const { world, instance, provider, open } = files;
      const sessionId = await open();
      const paused = await readAll(instance.client.trigger(send(sessionId, "Scan"), world.as()));
      const request = paused.find(({ type }) => type === "tool-request");
      assert.ok(Array.isArray(request?.toolCalls));
      const id = String(request.toolCalls[0].toolCallId);
      const sent = await threeFiles(files, sessionId);
      const results = [{ ...result(id, { pages: 3 }), files: sent.map((file) => ({ ...file, size: 1n })) }];
      const again = { sessionId, triggerName: "say", toolResults: results };
      assert.equal(textOf(await readAll(instance.client.trigger(again, world.as()))), "Read.");
      await readAll(instance.client.trigger(send(sessionId, "And now?"), world.as()));
      for (const received of provider.requests.slice(1)) {
        const body = wire(received);
        for (const content of [png, pdf]) assert.ok(body.includes(inBase64(content)));
        assert.ok(body.includes("The café opens at nine."));
        assert.ok(body.includes("pages"));
        assert.ok(!body.includes("muster.test"));
      }
    });
  }
});

const foreign = { id: "file_x", mediaType: "image/png", url: "https://files.example/a.png" };

async function worldOf(t: TestScope, steps: ScriptedStep[] = [], target = local) {
  assert.ok(target);
  const files = await startFileWorld(t, target, steps, { guard: testGuard }, { sessionTtlMs: 0 });
  return { ...files, sessionId: await files.open() };
}

function trigger({ world, instance }: FileWorld, request: ReturnType<typeof send>) {
  return readAll(instance.client.trigger(request, world.as()));
}

describe("a file that may not be read", () => {
  test("is refused where it arrives, with its place and the reason, and the session stays unchanged", async (t) => {
    const files = await worldOf(t);
    const { world, instance, sessionId, upload, open } = files;
    const own = await upload(sessionId, png);
    const other = await open();
    const rows: Array<[input: Record<string, unknown>, path: string, message: RegExp]> = [
      [{ FILE: await upload(other, png) }, "input.FILE.url", /download URL of this session/],
      [
        { FILE: await upload(sessionId, png, { projectId: "prj_other" }) },
        "input.FILE.url",
        /of this session/,
      ],
      [
        { FILES: [own, { ...foreign, url: "http://files.example/a.png" }] },
        "input.FILES.1.url",
        /public https/,
      ],
      [{ FILE: { ...foreign, url: "https://10.0.0.1/a.png" } }, "input.FILE.url", /public https/],
      [{ FILE: { ...foreign, url: "https://[::1]/a.png" } }, "input.FILE.url", /public https/],
      [{ FILE: { ...foreign, url: "file:///etc/passwd" } }, "input.FILE.url", /public https/],
      [{ FILE: { ...foreign, url: "" } }, "input.FILE.url", /1 to 2000 characters/],
      [{ FILE: { ...own, url: `${own.url}x` } }, "input.FILE.url", /public https/],
      [
        { FILE: { ...foreign, mediaType: "text/html" } },
        "input.FILE.mediaType",
        /must be one of image\/jpeg/,
      ],
      [{ FILE: { ...own, url: inScript(own.url) } }, "input.FILE.url", /public https/],
      [{ FILE: { ...own, url: own.url.replace("//", "//me:secret@") } }, "input.FILE.url", /public https/],
      [{ FILE: { ...own, mediaType: "image/gif" } }, "input.FILE.mediaType", /image\/png, as uploaded/],
      [{ FILE: { ...own, filename: "../x" } }, "input.FILE.filename", /without path separators/],
      [{ FILE: { ...own, size: -1 } }, "input.FILE.size", /number of bytes/],
      [{ FILE: { ...own, id: "" } }, "input.FILE.id", /1 to 200 characters/],
      [{ FILE: "https://files.example/a.png" }, "input.FILE", /must be an object/],
      [{ FILES: Array(21).fill(own) }, "input.FILES.0", /at most 20 files/],
      [
        { CASE: { title: "t", proof: { ...foreign, url: "ftp://x/" } } },
        "input.CASE.proof.url",
        /public https/,
      ],
    ];
    for (const [input, path, message] of rows) {
      const refused = await refusal(trigger(files, send(sessionId, "Look", input)));
      assert.equal(refused.reason, Reason.INVALID_INPUT, path);
      assert.equal(refused.issues[0]?.path, path);
      assert.match(refused.issues[0]?.message ?? "", message);
    }
    const missing = { projectId, ownerId: sessionId, id: "file_none" };
    const unsent = pathOfFile({ id: missing.id, signature: files.files.addresses.signDownload(missing) });
    const early = { ...own, id: missing.id, url: `https://muster.test${unsent}` };
    const none = await refusal(trigger(files, send(sessionId, "Look", { FILE: early })));
    assert.match(none.issues[0]?.message ?? "", /has no content; upload the file first/);
    world.clock.advance(fileLimits.downloadLifetimeMs);
    world.clock.advance(-1);
    const late = await refusal(trigger(files, send(await open(), "Look", { FILE: own })));
    assert.match(late.issues[0]?.message ?? "", /of this session/);
    const created = instance.client.createSession(
      { agentId: "agt_chat", inputJson: JSON.stringify({ MANUAL: own }) },
      world.as(),
    );
    assert.equal((await refusal(created)).issues[0]?.path, "input.MANUAL.url");
    assert.deepEqual(await messagesOf(world, instance, sessionId), []);
  });

  test("a model that cannot read a file of this message is not called, and the message is refused", async (t) => {
    for (const [modelId, content, mediaType, why] of [
      ["xai/grok-4", pdf, "application/pdf", /only from a public https address/],
      ["xai/grok-4", png, "image/webp", /does not read image\/webp; send image\/jpeg, image\/png/],
      ["google/gemini-2.5-flash", png, "image/gif", /does not read image\/gif/],
    ] as const) {
      const target = scriptedTargets.find((each) => each.modelId === modelId);
      const files = await worldOf(t, [], target);
      const file = await files.upload(files.sessionId, content, { mediaType, filename: "x" });
      const refused = await refusal(trigger(files, send(files.sessionId, "Look", { FILE: file })));
      assert.equal(refused.reason, Reason.UNSUPPORTED_MEDIA_TYPE);
      assert.match(refused.message, why);
    }
  });

  test("whose content is not of its type ends the turn before the call, and a later turn has a note", async (t) => {
    const files = await worldOf(t, [says("Sorry.")]);
    const { sessionId, upload, provider } = files;
    const file = await upload(sessionId, note, { filename: "fake.png" });
    const error = (await trigger(files, send(sessionId, "Look", { FILE: file }))).at(-1);
    assert.deepEqual(
      [error?.type, error?.errorType, error?.source, error?.code, error?.message],
      [
        "error",
        "validation_error",
        "client",
        "INVALID_INPUT",
        "The content of the file fake.png is not image/png.",
      ],
    );
    await trigger(files, send(sessionId, "And now?"));
    assert.ok(
      wire(provider.requests[0] ?? assert.fail()).includes("[The content of the file fake.png is not"),
    );
  });

  test("that was removed becomes a note for the model, and the conversation continues", async (t) => {
    const files = await worldOf(t, [says("Nice."), says("Gone.")]);
    const { sessionId, upload, provider, files: stored } = files;
    const file = await upload(sessionId, png);
    await trigger(files, send(sessionId, "Look", { FILE: file }));
    await stored.storage.removeOwner({ projectId, ownerId: sessionId });
    assert.equal(textOf(await trigger(files, send(sessionId, "Again?"))), "Gone.");
    const body = wire(provider.requests[1] ?? assert.fail());
    assert.ok(body.includes("[The file picture-1.png is no longer stored.]"));
    assert.ok(!body.includes(inBase64(png)));
  });
});

describe("a file at another address", () => {
  test("is fetched through the guard, once a turn, and again in the next one", async (t) => {
    const calls = { parts: [{ toolCall: { name: "platform_todo_write", arguments: {} } }] };
    let fetches = 0;
    const server = await serveTls(t, (_request, response) => {
      fetches += 1;
      response.setHeader("content-type", "image/png").end(png);
    });
    const files = await worldOf(t, [calls, says("Nice."), says("Still.")]);
    files.world.agents.set("agt_chat", [
      fileAgent,
      {
        ...fileAgent,
        protocol: fileAgent.protocol.replace("agentic: true", "agentic: true\n  todoList: true"),
      },
    ]);
    const sessionId = await files.open();
    const url = `https://files.example:${server}/a.png`;
    await trigger(files, send(sessionId, "Look", { FILE: { ...foreign, url } }));
    assert.equal(fetches, 1);
    await trigger(files, send(sessionId, "Again"));
    assert.equal(fetches, 2);
    for (const request of files.provider.requests) assert.ok(wire(request).includes(inBase64(png)));
  });

  test("that failed is not asked for again in the same turn, but in the next one", async (t) => {
    const calls = { parts: [{ toolCall: { name: "platform_todo_write", arguments: {} } }] };
    const statuses = [200, 503, 200];
    let fetches = 0;
    const server = await serveTls(t, (_request, response) => {
      response.writeHead(statuses[fetches++] ?? 500, { "content-type": "image/png" }).end(png);
    });
    const files = await worldOf(t, [says("Nice."), calls, says("Gone."), says("Back.")]);
    const protocol = fileAgent.protocol.replace("agentic: true", "agentic: true\n  todoList: true");
    files.world.agents.set("agt_chat", [fileAgent, { ...fileAgent, protocol }]);
    const sessionId = await files.open();
    const url = `https://files.example:${server}/a.png`;
    await trigger(files, send(sessionId, "Look", { FILE: { ...foreign, url } }));
    assert.equal(textOf(await trigger(files, send(sessionId, "Again"))), "Gone.");
    assert.equal(fetches, 2);
    await trigger(files, send(sessionId, "And again"));
    assert.equal(fetches, 3);
    const [, first = assert.fail(), second = assert.fail(), next = assert.fail()] = files.provider.requests;
    for (const request of [first, second]) assert.match(wire(request), /responded with status 503/);
    assert.ok(wire(next).includes(inBase64(png)));
  });

  test("is named as in each message, also if one turn names it twice", async (t) => {
    const port = await serveTls(t, (_request, response) => void response.end('{"open":9}'));
    const files = await worldOf(t, [says("Nice.")]);
    const url = `https://files.example:${port}/hours`;
    const given = [
      { id: "f1", url, mediaType: "text/plain", filename: "hours.txt" },
      { id: "f2", url, mediaType: "application/json", filename: "hours.json" },
    ];
    await trigger(files, send(files.sessionId, "Look", { FILES: given }));
    const sent = files.provider.requests.map(wire).join("");
    for (const name of ["hours.txt (text/plain)", "hours.json (application/json)"])
      assert.ok(sent.includes(name), sent);
  });

  test("takes only the room that it needs: the model reads twenty of them in one message", async (t) => {
    const port = await serveTls(t, (_request, response) => void response.end(png));
    const files = await worldOf(t, [says("Nice.")]);
    const given = Array.from({ length: 20 }, (_, index) => {
      return { ...foreign, id: `f${index}`, url: `https://files.example:${port}/${index}.png` };
    });
    await trigger(files, send(files.sessionId, "Look", { FILES: given }));
    const sent = files.provider.requests.map(wire).join("");
    assert.equal(sent.split(inBase64(png)).length - 1, 20);
  });

  test("does not exceed the room of a call together with others: the turn ends with the reason", async (t) => {
    const large = Buffer.alloc(9_000_000, "a");
    const port = await serveTls(t, (_request, response) => void response.end(large));
    const files = await worldOf(t);
    const given = Array.from({ length: 6 }, (_, index) => {
      const mediaType = "text/plain";
      return { ...foreign, mediaType, id: `f${index}`, url: `https://files.example:${port}/${index}.txt` };
    });
    const error = (await trigger(files, send(files.sessionId, "Look", { FILES: given }))).at(-1);
    assert.deepEqual([error?.type, error?.code], ["error", "INVALID_INPUT"]);
    assert.match(String(error?.message), /more than 5000000 bytes/);
  });

  test("that fails ends the turn with its reason: a refused connection, a status, too many bytes", async (t) => {
    const server = await serveTls(t, (request, response) => {
      if (request.url === "/404") response.writeHead(404).end();
      else response.end(Buffer.alloc(10_000_001));
    });
    const files = await worldOf(t);
    const { sessionId } = files;
    for (const [path, reason] of [
      ["/404", /status 404/],
      ["/large", /more than 10000000 bytes/],
    ] as const) {
      const url = `https://files.example:${server}${path}`;
      const error = (await trigger(files, send(sessionId, "Look", { FILE: { ...foreign, url } }))).at(-1);
      assert.deepEqual([error?.type, error?.code], ["error", "INVALID_INPUT"]);
      assert.match(String(error?.message), reason);
    }
  });
});

describe("the view that users have of files", () => {
  test("messages have file parts, whose expired URLs are renewed at the reader's address, and the events show the same", async (t) => {
    const files = await worldOf(t, [says("Nice.")]);
    const { world, instance, sessionId, upload } = files;
    const file = await upload(sessionId, png);
    const port = await serveTls(t, (_request, response) => void response.end(png));
    const other = { ...foreign, url: `https://files.example:${port}/a.png` };
    const events = await trigger(files, send(sessionId, "Look", { FILES: [file, other] }));
    const shown = async () => (await messagesOf(world, instance, sessionId))[0]?.parts;
    const text = { type: "text", text: "Look", status: "done" };
    const parts = [text, { type: "file", ...file }, { type: "file", ...other }];
    assert.deepEqual(await shown(), parts);
    const added = events.find(({ type, message }) => type === "block-end" && message !== undefined)?.message;
    assert.deepEqual(record(added).parts, parts);
    world.clock.advance(fileLimits.downloadLifetimeMs);
    const renewed = (await shown())?.[1];
    assert.ok(typeof renewed?.url === "string");
    assert.notEqual(renewed.url, file.url);
    assert.ok(renewed.url.startsWith(`${filesBaseUrl}/api/files/${file.id}?`));
    assert.deepEqual({ ...renewed, url: file.url }, parts[1]);
    assert.ok(isInTime(files.files, renewed.url));
    assert.deepEqual((await shown())?.[2], parts[2]);
  });

  test("a user who decides on a call sees its conversation with renewed URLs", async (t) => {
    const peeks = { parts: [{ toolCall: { id: "call_p", name: "peek", arguments: {} } }] };
    const files = await worldOf(t, [peeks]);
    const { world, instance, open, upload } = files;
    const protocol = fileAgent.protocol.replace("peek: {", "peek: { approval: ask,");
    world.agents.set("agt_chat", [fileAgent, { ...fileAgent, protocol }]);
    const sessionId = await open();
    const file = await upload(sessionId, png);
    await trigger(files, send(sessionId, "Look", { FILE: file }));
    world.clock.advance(fileLimits.downloadLifetimeMs);
    const approver = world.as({ permissions: new Set(["approve"]) });
    const [approval] = (await instance.client.listApprovals({ sessionId }, approver)).approvals;
    const request = { id: approval?.id ?? "", filesBaseUrl };
    const { messagesJson } = await instance.client.getApproval(request, approver);
    const shown = JSON.parse(messagesJson)[0].parts[1];
    assert.deepEqual({ ...shown, url: file.url }, { type: "file", ...file });
    assert.ok(shown.url.startsWith(`${filesBaseUrl}/api/files/${file.id}?`));
    assert.ok(isInTime(files.files, shown.url));
  });

  test("a session can be restored with its files, but not with those of others", async (t) => {
    const files = await worldOf(t, [says("Nice."), says("Gone.")]);
    const { world, instance, sessionId, upload, provider } = files;
    const file = await upload(sessionId, png);
    await trigger(files, send(sessionId, "Look", { FILE: file }));
    const messages = await messagesOf(world, instance, sessionId);
    await instance.client.clearSession({ sessionId }, world.as());
    assert.equal(await files.files.storage.open({ projectId, ownerId: sessionId, id: file.id }), undefined);
    world.clock.advance(fileLimits.downloadLifetimeMs);
    const restore = (kept: unknown) =>
      instance.client.restoreSession(
        {
          sessionId,
          messagesJson: JSON.stringify(kept),
          inputJson: JSON.stringify({ MODEL: files.modelId }),
        },
        world.as(),
      );
    const withUrl = (url: string) =>
      messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) => (part.type === "file" ? { ...part, url } : part)),
      }));
    for (const url of [
      (await upload("ses_other", png)).url,
      "https://127.0.0.2/a",
      "http://files.example/a",
    ]) {
      const refused = await refusal(restore(withUrl(url)));
      assert.deepEqual(
        [refused.reason, refused.issues[0]?.path],
        [Reason.INVALID_REQUEST, "messages.0.parts.1.url"],
      );
    }
    assert.equal((await restore(messages)).restored, true);
    assert.equal(textOf(await trigger(files, send(sessionId, "Again?"))), "Gone.");
    assert.ok(wire(provider.requests[1] ?? assert.fail()).includes("is no longer stored"));
  });

  test("a file that is uploaded while a clearing still removes files is refused if it is gone, and can be uploaded again", async (t) => {
    const files = await worldOf(t, [says("Nice."), says("There it is.")]);
    const { world, instance, sessionId, upload } = files;
    await trigger(files, send(sessionId, "Hello"));
    const messages = await messagesOf(world, instance, sessionId);
    await instance.client.clearSession({ sessionId }, world.as());
    const inputJson = JSON.stringify({ MODEL: files.modelId });
    const restored = { sessionId, messagesJson: JSON.stringify(messages), inputJson };
    await instance.client.restoreSession(restored, world.as());
    const file = await upload(sessionId, png);
    // The removal that belongs to the clearing ends only now.
    await files.files.storage.removeOwner({ projectId, ownerId: sessionId });
    const refused = await refusal(trigger(files, send(sessionId, "Look", { FILE: file })));
    assert.deepEqual([refused.reason, refused.issues[0]?.path], [Reason.INVALID_INPUT, "input.FILE.url"]);
    assert.match(refused.issues[0]?.message ?? "", /upload the file first/);
    const { id, mediaType, filename = "" } = file;
    const record = { projectId, ownerId: sessionId, id, mediaType, filename, size: png.length };
    assert.equal(await files.files.storage.put(record, Readable.from([png])), true);
    assert.equal(textOf(await trigger(files, send(sessionId, "Look", { FILE: file }))), "There it is.");
    assert.equal((await messagesOf(world, instance, sessionId)).length, 4);
  });

  test("logs and the store contain neither the bytes of a file nor its URL in a prompt", async (t) => {
    const files = await worldOf(t, [says("Nice.")]);
    const { world, sessionId, upload } = files;
    const file = await upload(sessionId, png);
    await trigger(files, send(sessionId, "Look", { FILE: file }));
    const [document, ...logs] = [await world.document(sessionId), ...(await world.logs.find().toArray())];
    assert.ok(logs.length > 0);
    assert.ok(!JSON.stringify([document, logs]).includes(inBase64(png).slice(0, 40)));
    const signature = new URL(file.url).searchParams.get("signature") ?? assert.fail();
    assert.ok(!JSON.stringify(logs).includes(signature), "a URL is a credential");
  });
});

describe("images that are larger than maxImageDimension", () => {
  const limited = {
    ...fileAgent,
    protocol: fileAgent.protocol.replace("agentic: true", "agentic: true\n  maxImageDimension: 64"),
  };

  async function openLimited(t: TestScope, steps: ScriptedStep[]) {
    const files = await worldOf(t, steps);
    files.world.agents.set("agt_chat", [fileAgent, limited]);
    return { ...files, sessionId: await files.open() };
  }

  /** From the header of the PNG images in a request. */
  function sizesIn(request: ScriptedRequest | undefined): Array<[width: number, height: number]> {
    const images = JSON.stringify(request?.body).matchAll(/data:image\/png;base64,([^"\\]+)/g);
    return [...images].map(([, text = ""]) => {
      const bytes = Buffer.from(text, "base64");
      return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    });
  }

  test("reach the model scaled down, in messages and in tool results, and smaller ones unchanged", async (t) => {
    const calls = { parts: [{ toolCall: { id: "call_a", name: "scan", arguments: {} } }] };
    const files = await openLimited(t, [calls, says("Read.")]);
    const { sessionId, upload, provider, world, instance } = files;
    const sent = [await upload(sessionId, blackPng(640, 320)), await upload(sessionId, png)];
    await trigger(files, send(sessionId, "Look", { FILES: sent }));
    const scan = await upload(sessionId, blackPng(100, 1_000));
    const toolResults = [{ ...result("call_a", 1), files: [{ ...scan, size: 1n }] }];
    await readAll(instance.client.trigger({ sessionId, triggerName: "say", toolResults }, world.as()));
    assert.deepEqual(sizesIn(provider.requests[0]), [
      [64, 32],
      [1, 1],
    ]);
    assert.deepEqual(sizesIn(provider.requests[1]), [
      [64, 32],
      [1, 1],
      [6, 64],
    ]);
  });

  test("are refused if they have too many pixels, or cannot be read", async (t) => {
    const files = await openLimited(t, []);
    const { sessionId, upload } = files;
    for (const [content, reason] of [
      [blackPng(50_000, 2_000), /has 50000 x 2000 pixels/],
      [Buffer.concat([png.subarray(0, 8), Buffer.alloc(40)]), /is not a readable image\/png/],
    ] as const) {
      const file = await upload(sessionId, content);
      const error = (await trigger(files, send(sessionId, "Look", { FILE: file }))).at(-1);
      assert.deepEqual([error?.type, error?.code], ["error", "INVALID_INPUT"]);
      assert.match(String(error?.message), reason);
    }
  });
});

/** Runs a script in a page that links to it, and has the path and the signature of the file. */
function inScript(url: string): string {
  const { pathname, search } = new URL(url);
  return `javascript://%0aalert(1)/${pathname}${search}`;
}
