import assert from "node:assert/strict";
import { boundOutput, fromUiMessages, messagesAfter, summaryOf, toPrompt } from "@muster/engine";
import { createModels, providerSettings, readModelsConfig } from "@muster/models";
import { scriptedTargets, startScriptedProvider } from "@muster/models/testing";
import { describe, test } from "vitest";

const message = (id: string, role: string, parts: object[], more: object = {}) => ({
  ...{ id, role, status: "done", createdAt: "2026-01-01T00:00:00.000Z", parts },
  ...more,
});
const text = (words: string) => ({ type: "text", text: words, status: "done" });
const maxToolOutputTokens = 100;
const preview = boundOutput("x".repeat(9_400), maxToolOutputTokens);
const call = { type: "tool-call", toolCallId: "call_1", toolName: "find", args: { q: "7" }, result: preview };
const recent = [
  message("m2", "assistant", [call, { type: "step-start" }, text("Found.")]),
  message("m3", "user", [text("Thanks")]),
];
const todos = { type: "todo", todos: [{ id: "1", content: "Pack", status: "pending" }], status: "done" };
const summarised = [text("She likes lanterns."), todos];

describe("a restored conversation that a summary begins", () => {
  for (const { format, modelId, environment } of scriptedTargets) {
    test(`${modelId} over ${format} accepts it, also from a client that does not know of summaries`, async (t) => {
      const steps = [{ parts: [{ text: "One." }] }, { parts: [{ text: "Two." }] }];
      const provider = await startScriptedProvider(t, { format, steps });
      const models = createModels(readModelsConfig(environment(provider.baseUrl)));
      const resolved = await models.resolve(modelId);
      assert.ok(resolved.ok);
      for (const mark of [{ summary: true }, {}]) {
        const restored = fromUiMessages([message("m1", "assistant", summarised, mark), ...recent]);
        assert.ok(restored.ok);
        const summary = summaryOf(restored, "main");
        const messages = messagesAfter(restored, ["main"], summary);
        const prompt = toPrompt(
          { messages },
          { threads: ["main"], maxToolOutputTokens, ...(summary && { summary }) },
        );
        const { stream } = await resolved.model.doStream({ prompt, ...providerSettings(modelId, {}) });
        const written: string[] = [];
        for await (const part of stream) if (part.type === "text-delta") written.push(part.delta);
        assert.equal(written.join(""), mark.summary ? "One." : "Two.");
        const sent = JSON.stringify(provider.requests.at(-1)?.body);
        assert.match(sent, /She likes lanterns\..*Pack.*9000 characters omitted.*Thanks/s);
      }
    });
  }
});
