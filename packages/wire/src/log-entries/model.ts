import { flag, inline, integer, json, list, oneOf, optional, Type, text } from "../schema/index.ts";
import { entry } from "./fields.ts";

const step = {
  model: text("The id of the model."),
  step: integer("The number of the model step in its execution: 1, 2, 3 …"),
};

const outcome = oneOf(
  "`partial`: the call was cut or failed, and this was kept. `discarded`: the step was made again on the backup model.",
  ["done", "partial", "discarded"],
);

const exampleStep = { blockName: "Respond", model: "openai/gpt-4o-mini", step: 1 };

/** The requests to a model and its responses. */
export const modelEntries = {
  "model-request": entry(
    "model-request",
    "A model is called.",
    {
      ...step,
      isBackup: flag("True if this is the backup model."),
      request: json("The prompt, tools and settings. Long texts and lists are shortened, with a note."),
    },
    {
      ...exampleStep,
      isBackup: false,
      request: { prompt: [{ role: "user", content: [{ type: "text", text: "Where is my order?" }] }] },
    },
  ),
  "llm-response": entry(
    "llm-response",
    "The model has written text, or the JSON of an object.",
    { ...step, text: text("The text."), outcome },
    { ...exampleStep, text: "It arrives on Monday.", outcome: "done" },
  ),
  reasoning: entry(
    "reasoning",
    "The model has reasoned.",
    { ...step, text: text("The reasoning that the provider reveals."), outcome },
    { ...exampleStep, text: "The user wants to know when the order arrives.", outcome: "done" },
  ),
  "llm-tool-request": entry(
    "llm-tool-request",
    "The model asks for tool calls.",
    {
      ...step,
      toolCalls: list(
        "The calls, in the order in which the model wrote them.",
        Type.Object({
          toolCallId: text("The id of the call."),
          toolName: text("The name of the tool."),
          args: json("The arguments."),
        }),
      ),
      outcome,
    },
    {
      ...exampleStep,
      toolCalls: [{ toolCallId: "call_1", toolName: "find-order", args: { id: 7 } }],
      outcome: "done",
    },
  ),
  compaction: entry(
    "compaction",
    "A model reads less than the whole conversation from here on.",
    {
      ...step,
      cause: oneOf(
        "`threshold`: the prompt reached its share of the context window. `refusal`: the provider refused its length.",
        ["threshold", "refusal"],
      ),
      method: oneOf(
        "`summary`: a summary was written, and stands for the messages in later turns too. `trim`: messages are left out of this call.",
        ["summary", "trim"],
      ),
      tokensBefore: integer("The estimated tokens of the prompt without the compaction."),
      tokensAfter: integer("The estimated tokens of the prompt with it."),
      messages: integer("How many messages became part of the summary, or are left out wholly or in part."),
      summarizer: optional(text("Who wrote the summary: the id of a model, or the slug of a worker.")),
      summary: optional(text("The summary.")),
      problem: optional(text("Why no summary could be written.")),
    },
    {
      ...exampleStep,
      cause: "threshold",
      method: "summary",
      tokensBefore: 103_200,
      tokensAfter: 24_900,
      messages: 212,
      summarizer: "openai/gpt-4o-mini",
      summary:
        "Ada has ordered three lanterns (order 1042). One arrived broken; she wants it replaced by Friday.",
    },
  ),
  "step-stats": entry(
    "step-stats",
    "A model call has ended: its tokens, cost and duration.",
    {
      ...step,
      isBackup: flag("True if this was the backup model."),
      finishReason: oneOf(
        "How the provider says that it ended; `failed`: the call failed, `aborted`: it was cut off.",
        ["stop", "length", "content-filter", "tool-calls", "error", "other", "failed", "aborted"],
      ),
      latencyMs: integer("From the call to its end, in milliseconds."),
      firstPartMs: optional(integer("From the call to the first part of its response, in milliseconds.")),
      tokens: optional(
        inline("As the provider counts them; absent if it did not report any.", {
          inputTokens: integer("Including those read from a cache."),
          outputTokens: integer("Including reasoning."),
          totalTokens: integer("The sum of both."),
          cacheReadTokens: optional(integer("Read from the provider's cache.")),
          cacheWriteTokens: optional(integer("Written to the provider's cache.")),
          reasoningTokens: optional(integer("Spent on reasoning.")),
        }),
      ),
      cost: optional(
        inline("Absent if the model has no known price or reported no tokens.", {
          currency: Type.Literal("USD", { description: "US dollars." }),
          providerFee: text("What the provider charges, an exact decimal."),
          bandwidthFee: text("What the platform charges, an exact decimal."),
          totalFee: text("The sum of both, an exact decimal."),
        }),
      ),
      priceVersion: text("The version of the price list."),
    },
    {
      ...exampleStep,
      isBackup: false,
      finishReason: "stop",
      latencyMs: 812,
      firstPartMs: 240,
      tokens: { inputTokens: 1_000, outputTokens: 20, totalTokens: 1_020 },
      cost: { currency: "USD", providerFee: "0.000162", bandwidthFee: "0", totalFee: "0.000162" },
      priceVersion: "genai-prices 0.1.8",
    },
  ),
};
