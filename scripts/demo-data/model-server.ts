import {
  type ScriptedFormat,
  type ScriptedPart,
  type ScriptedStep,
  startScriptedProvider,
} from "@muster/models/testing";
import type { TestScope } from "@muster/testing";
import type { MovingClock } from "./moving-clock.ts";
import type { Random } from "./random.ts";
import type { StoryStep, StoryTurn } from "./story.ts";

export interface ModelServer {
  /** Settings of Muster: these providers are the server. */
  settings: Readonly<Record<string, string>>;
  /** Answers the turn's message, and those of the workers that it calls, as the story says. */
  add(turn: StoryTurn): void;
}

const unknown: StoryStep = {
  text: "This is a scripted model, which only knows the conversations of the sample data. Set the key of a model provider to talk to a real one.",
};

/** Servers that speak as two providers of models do, know stories instead of thinking, and pass the time that models take. */
export async function startModelServer(
  scope: TestScope,
  clock: MovingClock,
  random: Random,
): Promise<ModelServer> {
  const turns = new Map<string, StoryTurn>();
  const start = async (format: ScriptedFormat) => {
    const server = await startScriptedProvider(scope, { format, steps: [] });
    server.answerBy(({ body }) => {
      const { text, replies, isRefused } = lastMessage(body.messages);
      const turn = turns.get(text);
      const refused = isRefused && turn?.refused !== undefined ? { text: turn.refused } : undefined;
      const step = refused ?? turn?.steps[replies] ?? unknown;
      return play(step, JSON.stringify(body).length, clock, random);
    });
    return server.baseUrl;
  };
  const add = (turn: StoryTurn): void => {
    turns.set(turn.user, turn);
    for (const { worker } of turn.steps.flatMap(({ calls = [] }) => calls)) if (worker) add(worker);
  };
  const [openai, anthropic] = await Promise.all([start("openai"), start("anthropic")]);
  return {
    settings: {
      ...{ OPENAI_BASE_URL: openai, OPENAI_API_KEY: "scripted" },
      ...{ ANTHROPIC_BASE_URL: anthropic, ANTHROPIC_API_KEY: "scripted" },
    },
    add,
  };
}

/** The latest message of the user in a request, how many replies follow it, and whether a call in them was refused. */
function lastMessage(messages: unknown): { text: string; replies: number; isRefused: boolean } {
  let text = "";
  let replies = 0;
  let isRefused = false;
  for (const message of Array.isArray(messages) ? messages : []) {
    const { role, content } = Object(message);
    const said = role === "user" ? textOf(content) : "";
    if (role === "assistant") replies += 1;
    // Anthropic has the results of tools in messages of the user.
    else if (said !== "") [text, replies, isRefused] = [said, 0, false];
    else if (/was denied|not decided in time/.test(JSON.stringify(content))) isRefused = true;
  }
  return { text, replies, isRefused };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => String(Object(part).text ?? ""))
    .join("")
    .trim();
}

const charactersPerToken = 4;
const tokensOf = (characters: number) => Math.ceil(characters / charactersPerToken);

function play(step: StoryStep, promptLength: number, clock: MovingClock, random: Random): ScriptedStep {
  const { thought, text, calls = [], failure, tookMs = 0 } = step;
  const msPerToken = random.between(11, 19);
  clock.advance(random.between(320, 1_150) + tookMs);
  if (failure !== undefined && failure !== "cut") {
    const { status, message } = failure;
    return { status, error: { message, type: "invalid_request_error" } };
  }
  // Models think more than they show.
  const reasoningTokens = thought === undefined ? 0 : 4 * tokensOf(thought.length);
  const written = (text ?? "") + calls.map(({ args }) => JSON.stringify(args)).join("");
  const writtenTokens = tokensOf(written.length) + 8;
  const after = (tokens: number): ScriptedPart => ({
    until: async () => {
      // Muster shares the process: it reads the earlier parts before the time has passed.
      await new Promise((resolve) => setTimeout(resolve, 1));
      clock.advance(tokens * msPerToken);
    },
  });
  // Prompts of real agents have long instructions and documents.
  const inputTokens = 6 * tokensOf(promptLength);
  return {
    parts: [
      ...(thought === undefined ? [] : [{ reasoning: thought }, after(reasoningTokens)]),
      ...(text === undefined ? [] : [{ text }]),
      after(writtenTokens),
      ...(calls.length === 0
        ? []
        : [{ toolCalls: calls.map(({ name, args }) => ({ name, arguments: args })) }]),
    ],
    ...(failure === "cut" && { ending: "cut" }),
    usage: {
      inputTokens,
      outputTokens: writtenTokens + reasoningTokens,
      reasoningTokens,
      cachedInputTokens: inputTokens > 8_000 ? Math.floor(inputTokens / 2) : 0,
    },
  };
}
