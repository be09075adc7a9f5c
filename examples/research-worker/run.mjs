// Runs research-worker and executes its tools here. They use Wikipedia, which needs no key:
//   node examples/research-worker/run.mjs "Why is the sky dark at night?"
// In your own program, connect search-web and read-page to your search service.
const question = process.argv[2] ?? "Why is the sky dark at night?";
const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_API_KEY, MODEL } = process.env;
if (!MUSTER_API_KEY) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

const site = "https://en.wikipedia.org";
const tools = {
  "search-web": async ({ query }) => {
    const { search } = await ask({ list: "search", srsearch: query, srlimit: "5" });
    return search.map(({ title, snippet }) => ({
      title,
      url: `${site}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
      snippet: snippet.replaceAll(/<[^>]*>/g, ""),
    }));
  },
  "read-page": async ({ url }) => {
    if (!url.startsWith(`${site}/wiki/`)) throw new Error(`Only pages of ${site} can be read.`);
    const titles = decodeURIComponent(new URL(url).pathname.replace("/wiki/", ""));
    const { pages } = await ask({ prop: "extracts", explaintext: "1", redirects: "1", titles });
    return pages[0]?.extract ?? "The page does not exist.";
  },
};

async function ask(params) {
  const query = new URLSearchParams({ action: "query", format: "json", formatversion: "2", ...params });
  const response = await fetch(`${site}/w/api.php?${query}`, {
    headers: { "user-agent": "muster-research-worker-example" },
    signal: AbortSignal.timeout(20_000),
  }).catch((error) => {
    throw new Error(`${site} cannot be reached (${error.cause?.code ?? error.message}).`);
  });
  if (!response.ok) throw new Error(`${site} responded with status ${response.status}.`);
  return (await response.json()).query;
}

async function execute({ toolCallId, toolName, args }) {
  console.error(`[${toolName} ${JSON.stringify(args)}]`);
  try {
    return { toolCallId, toolName, result: await tools[toolName](args) };
  } catch (error) {
    console.error(`  failed: ${error.message}`);
    return { toolCallId, toolName, error: error.message };
  }
}

async function* run(body) {
  const headers = { authorization: `Bearer ${MUSTER_API_KEY}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${MUSTER_URL}/api/agents/research-worker/execute?by=slug`, request).catch(
    (error) => fail(`Cannot reach Muster at ${MUSTER_URL}: ${error.cause?.code ?? error.message}`),
  );
  if (!response.ok) {
    const { error = "The server failed.", code = response.status } = await response.json().catch(() => ({}));
    fail(`${error} (${code})`);
  }
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: {")) yield JSON.parse(frame.slice(6));
  }
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

const input = { QUESTION: question, ...(MODEL && { MODEL, WRITER_MODEL: MODEL }) };
let executionId;
let usage;
for (let body = { type: "start", input }, next; body; body = next) {
  next = undefined;
  for await (const event of run(body)) {
    if (event.type === "start") executionId = event.executionId;
    if (event.type === "error") fail(event.message);
    if (event.type === "worker-result") console.log(JSON.stringify(event.output, null, 2));
    if (event.type === "usage") usage = event;
    if (event.type === "tool-request") {
      next = { type: "continue", executionId, toolResults: await Promise.all(event.toolCalls.map(execute)) };
    }
  }
}
console.error(`${usage.tokens.totalTokens} tokens, ${usage.cost.totalFee} ${usage.cost.currency}`);
