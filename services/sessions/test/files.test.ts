import assert from "node:assert/strict";
import { type ScriptedRequest, scriptedTargets } from "@muster/models/testing";
import { describe, test } from "vitest";
import { type FileWorld, note, pdf, png, send, startFileWorld } from "./file-world.ts";
import { readAll, result, textOf } from "./harness.ts";

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
