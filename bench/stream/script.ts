/** Text deltas in one response of the scripted provider. */
export const chunksPerStream = 64;

/** The scripted provider's behaviour by model name. Paced responses send one delta per interval. */
export const chunkIntervalsMs: Readonly<Record<string, number>> = {
  bench: 0,
  "bench-paced": 20,
  // Long enough for many streams to be open at once while memory is measured.
  "bench-held": 100,
};

/** The server-sent events of one response in OpenAI's chat completions format: the deltas, then its end. */
export function answerEvents(): { deltas: string[]; ending: string } {
  const event = (rest: object) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_770_000_000, model: "bench", ...rest })}\n\n`;
  const delta = (content: string) =>
    event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  const deltas = Array.from({ length: chunksPerStream }, (_, i) => delta(` word${i}`));
  const ending = [
    event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 64, total_tokens: 74 } }),
    "data: [DONE]\n\n",
  ];
  return { deltas, ending: ending.join("") };
}
