// Runs research-worker and executes its tools here, on Wikipedia, which needs no key:
//   node examples/research-worker/run.mjs "Why is the sky dark at night?"
// In your own program, let search-web and read-page ask the search service that you use.
const question = process.argv[2] ?? "Why is the sky dark at night?";
const wikipedia = "https://en.wikipedia.org/w/api.php?format=json&formatversion=2&";

const tools = {
  "search-web": async ({ query }) => {
    const params = new URLSearchParams({ action: "query", list: "search", srsearch: query, srlimit: "5" });
    const { query: found } = await json(wikipedia + params);
    return found.search.map(({ title, snippet }) => ({
      title,
      url: `https://en.wikipedia.org/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
      snippet: snippet.replaceAll(/<[^>]*>/g, ""),
    }));
  },
  "read-page": async ({ url }) => {
    const title = decodeURIComponent(new URL(url).pathname.replace("/wiki/", ""));
    const params = new URLSearchParams({
      action: "query",
      prop: "extracts",
      explaintext: "1",
      titles: title,
    });
    const { query: found } = await json(wikipedia + params);
    return found.pages[0]?.extract ?? "There is no such page.";
  },
};

async function json(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return response.json();
}

async function execute({ toolCallId, toolName, args }) {
  console.error(`[${toolName} ${JSON.stringify(args)}]`);
  try {
    return { toolCallId, toolName, result: await tools[toolName](args) };
  } catch (error) {
    return { toolCallId, toolName, error: String(error.message) };
  }
}

async function* run(body) {
  const url = `${process.env.MUSTER_URL ?? "http://127.0.0.1:8080"}/api/agents/research-worker/execute?by=slug`;
  const headers = {
    authorization: `Bearer ${process.env.MUSTER_API_KEY}`,
    "content-type": "application/json",
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: {")) yield JSON.parse(frame.slice(6));
  }
}

const input = {
  QUESTION: question,
  ...(process.env.MODEL && { MODEL: process.env.MODEL, WRITER_MODEL: process.env.MODEL }),
};
let executionId;
for (let body = { type: "start", input }, next; body; body = next) {
  next = undefined;
  for await (const event of run(body)) {
    if (event.type === "start") executionId = event.executionId;
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "worker-result") console.log(JSON.stringify(event.output, null, 2));
    if (event.type === "usage")
      console.error(`${event.tokens.totalTokens} tokens, ${event.cost.totalFee} ${event.cost.currency}`);
    if (event.type === "tool-request") {
      next = { type: "continue", executionId, toolResults: await Promise.all(event.toolCalls.map(execute)) };
    }
  }
}
