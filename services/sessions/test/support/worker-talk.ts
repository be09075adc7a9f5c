import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import { type Instance, openSession, scriptedModel, type World } from "./harness.ts";

const prompts = { message: "{{TEXT}}", task: "Find {{TOPIC}}" };

const chat = (model: string) => `
triggers:
  say: { input: { TEXT: { type: string } } }
tools:
  look-up: { description: Looks up }
agent:
  model: ${model}
  workers: [find-owls, find-bats]
  agentic: true
workers:
  find-owls: { description: Finds owls, display: stream }
  find-bats: { description: Finds bats, display: stream }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
    Answer: { block: next-message }
`;

const finder = (topic: string, settings: string) => `
input:
  TOPIC: { type: string, default: ${topic} }
variables:
  FOUND: { type: string }
tools:
  look-up: { description: Looks up }
steps:
  Open: { block: start-thread, thread: main, ${settings}, tools: [look-up], agentic: true }
  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;

/** `agt_chat` can call the workers find-owls and find-bats, whose prompts name what they find. */
export function addFinders(
  world: World,
  { model = scriptedModel, settings }: { model?: string; settings?: string } = {},
): void {
  world.agents.set("agt_chat", [{ prompts, protocol: chat(model) }]);
  for (const topic of ["owls", "bats"])
    world.agents.set(`find_${topic}`, [
      { format: "worker", prompts, protocol: finder(topic, settings ?? `model: ${model}`) },
    ]);
}

export function openFinders(world: World, instance: Instance): Promise<string> {
  return openSession(world, instance, {});
}

export const callsBoth: ScriptedStep = {
  parts: [
    {
      toolCalls: [
        { name: "find-owls", arguments: {} },
        { name: "find-bats", arguments: {} },
      ],
    },
  ],
};

/** A turn that is told `Both` calls both workers and then answers; `work`: the steps of a worker's model. */
export function answerAll(
  world: World,
  work: (topic: "owls" | "bats", messages: string) => ScriptedStep,
  callBoth = callsBoth,
): void {
  world.provider.answerBy(({ body }: ScriptedRequest) => {
    const messages = JSON.stringify(body.messages);
    if (messages.includes("Fine?")) return { parts: [{ text: "Fine." }] };
    if (!messages.includes("Both")) return work(messages.includes("Find owls") ? "owls" : "bats", messages);
    return messages.includes('"tool"') ? { ...callBoth, parts: [{ text: "Found." }] } : callBoth;
  });
}
