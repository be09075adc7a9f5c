/**
 * The words with which providers refuse a conversation that is longer than the model's context window. Most of them
 * name the failure as an invalid request, so that nothing else distinguishes it from one. In lower case.
 */
const refusals: readonly RegExp[] = [
  // Anthropic, Fireworks.
  /\bprompt is too long\b/,
  // Anthropic (input and output together), OpenAI, llama-cpp-python.
  /\bexceeds? (?:the )?context (?:limit|window|length)\b/,
  // OpenAI, vLLM, DeepSeek, Mistral, OpenRouter; xAI calls it prompt length, older vLLM model length.
  /\bmaximum (?:context|prompt|model) length\b/,
  // Google.
  /\binput token count\b.{0,40}\bexceeds the maximum\b/,
  // llama.cpp.
  /\bexceeds the available context size\b|\bcontext size has been exceeded\b/,
  // LM Studio.
  /\bgreater than the context length\b|\bcontext length of only\b/,
  // Groq.
  /\breduce the length of the (?:messages|prompt|input)\b/,
  // Ollama, Cerebras, MiniMax, Kimi, GitHub.
  /\bcontext (?:length|window) (?:exceeded|exceeds limit)\b|\bexceeds the context length\b|\bexceeds maximum context\b/,
  /\bexceeded model token limit\b|\bprompt token count of \d+ exceeds the limit\b/,
  // Bedrock behind a gateway, Cohere.
  /\binput is too long for (?:the )?requested model\b/,
  /\btoo many tokens\b(?!.{0,80}\b(?:wait|per (?:second|minute|hour|day)|quota|completion|output|max (?:new )?tokens)\b)/,
  // Hugging Face, Together.
  /\bmust have less than \d+ tokens\b|\btokens \+ .{0,40}\bmust be <= ?\d/,
];

/** Numbers of refusals that count the requested output together with the conversation. */
const shares: readonly RegExp[] = [
  // vLLM: (output > window - conversation), the hyphen read as a space.
  /\((?<output>\d+) > (?<window>\d+) +\d+\)/,
  // Anthropic.
  /\d \+ (?<output>\d+) > (?<window>\d+)\b/,
  // OpenAI, OpenRouter, older vLLM.
  /\bcontext length is (?<window>\d+) tokens\b.{0,120}?\b(?<output>\d+) in the (?:completion|output)\b/,
];

/** The setting of the output is at fault if it leaves no room at all: no conversation is short enough then. */
function leavesNoRoom(words: string): boolean {
  return shares.some((pattern) => {
    const { output, window } = pattern.exec(words)?.groups ?? {};
    return output !== undefined && window !== undefined && Number(output) >= Number(window);
  });
}

/**
 * `words`: the provider's, in lower case, without hyphens and underscores, and without quotations, which may be the user's.
 */
export function refusesLength(words: string): boolean {
  return refusals.some((pattern) => pattern.test(words)) && !leavesNoRoom(words);
}
