// Runs research-worker and executes its tools here. They use Wikipedia, which needs no key:
//   node examples/research-worker/run.mjs "Why is the sky dark at night?"
// In your own program, connect search-web and read-page to your search service.
import { Muster } from "@muster/client";

const question = process.argv[2] ?? "Why is the sky dark at night?";
const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_API_KEY: apiKey, MODEL } = process.env;
if (!apiKey) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

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

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

/** With a line for each call, and one for each failure, which the model reads as well. */
const shown = ([name, tool]) => [
  name,
  async (args) => {
    console.error(`[${name} ${JSON.stringify(args)}]`);
    try {
      return await tool(args);
    } catch (error) {
      console.error(`  failed: ${error.message}`);
      throw error;
    }
  },
];

const input = { QUESTION: question, ...(MODEL && { MODEL, WRITER_MODEL: MODEL }) };
try {
  const options = { tools: Object.fromEntries(Object.entries(tools).map(shown)) };
  const worker = new Muster({ baseUrl, apiKey }).agents.execute("research-worker", input, options);
  const { output, usage } = await worker.result();
  console.log(JSON.stringify(output, null, 2));
  console.error(`${usage.tokens.totalTokens} tokens, ${usage.cost.totalFee} ${usage.cost.currency}`);
} catch ({ message, code }) {
  fail(`${message} (${code})`);
}
