import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createModels, type ModelsOptions, type ProviderCheck, readModelsConfig } from "../../src/index.ts";

export interface FakeProvider {
  /** Ends in `/v1`. */
  baseUrl: string;
  /** The requests received so far, oldest first. */
  requests: Array<{ method: string; path: string; headers: IncomingHttpHeaders }>;
}

/** A server that responds with `answer` until the test ends. */
export async function serve(
  t: { onTestFinished(fn: () => void): void },
  answer: RequestListener,
): Promise<FakeProvider> {
  const requests: FakeProvider["requests"] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers });
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, requests };
}

/** Responds with a status and JSON; text is sent unchanged. */
export function say(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Checks the provider whose variables are set. */
export async function check(
  environment: Record<string, string>,
  options: ModelsOptions = {},
): Promise<ProviderCheck> {
  const models = createModels(readModelsConfig(environment), options);
  const checks = await models.checkProviders();
  const asked = checks.filter(({ status, name }) => status !== "not_configured" && name !== "demo");
  const [only] = asked;
  if (only === undefined || asked.length > 1) throw new Error(`${asked.length} providers were asked`);
  return only;
}
