import assert from "node:assert/strict";
import { beginTurn, type Conversation, type ModelCall, settle, toPrompt } from "@muster/engine";
import {
  beginningOf,
  countingEnvironment,
  type Happening,
  happenings,
  inputFor,
  program,
  threadNames,
} from "@muster/engine/testing";
import type { Program } from "@muster/language";
import { createModels, type Models, providerSettings, readModelsConfig } from "@muster/models";
import { brokenRules, scriptedTargets } from "@muster/models/testing";
import fc from "fast-check";
import { describe, test } from "vitest";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 40 * Number(process.env.LONG_RUN ?? 1);

describe("random conversations in the formats of real providers", () => {
  for (const { format, modelId, environment } of scriptedTargets) {
    test(`${modelId} over ${format} accepts every prompt, also after a turn that died at any event`, async () => {
      const sent: Array<{ path: string; body: unknown }> = [];
      const models = createModels(readModelsConfig(environment("http://provider.test/v1")), {
        fetch: async (url, init) => {
          sent.push({ path: new URL(String(url)).pathname, body: JSON.parse(String(init?.body)) });
          return new Response("{}", { status: 400 });
        },
      });
      const isLegal = async (prompt: Prompt): Promise<void> => {
        await send(models, modelId, prompt);
        const request = sent.pop();
        assert.ok(request, "The adapter refused the prompt");
        assert.deepEqual(brokenRules(format, request.body, request.path), []);
      };
      await fc.assert(
        fc.asyncProperty(program, happenings, fc.nat(), async (definition, script, cut) => {
          for (const prompt of promptsOf(definition, script, cut)) await isLegal(prompt);
        }),
        { numRuns },
      );
    });
  }
});

type Prompt = ModelCall["options"]["prompt"];

async function send(models: Models, modelId: string, prompt: Prompt): Promise<void> {
  const resolved = await models.resolve(modelId);
  assert.ok(resolved.ok);
  const settings = providerSettings(modelId, { thinking: "high", cache: "auto" });
  await assert.rejects(async () => resolved.model.doStream({ prompt, ...settings }));
}

/** The last prompt of a turn, and those of its threads after it died at an event and after it was followed by another. */
function promptsOf(definition: Program, script: Happening[], cut: number): Prompt[] {
  const environment = countingEnvironment();
  const conversation: Conversation = { messages: [], variables: {}, resources: {} };
  const calls: ModelCall[] = [];
  const start = (from: Conversation) =>
    beginTurn(
      {
        program: definition,
        conversation: from,
        executionId: "exe_1",
        ...beginningOf(definition, "words"),
        dynamicTools: [],
      },
      environment,
    );
  const play = (machine: ReturnType<typeof start>, inputs: Happening[]) => {
    for (const happening of [undefined, ...inputs]) {
      const input = happening === undefined ? { type: "start" as const } : inputFor(machine, happening);
      if (input === undefined) continue;
      const last = machine.advance(input).at(-1);
      if (last?.type === "call-model") calls.push(last.call);
    }
  };
  const dead = start(conversation);
  play(dead, script.slice(0, cut % (script.length + 1)));
  const left = settle(structuredClone(dead.conversation));
  const prompts = threadNames.map((thread) => toPrompt(left, { threads: [thread] }));
  const next = start(left);
  play(next, script);
  return [...prompts, ...calls.slice(-2).map(({ options }) => options.prompt)];
}
