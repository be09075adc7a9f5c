import { serve, type TestScope } from "@muster/testing";
import { chat } from "./definitions.ts";
import { projectId, type World } from "./harness.ts";

export interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A service that answers the calls in turn, and then with the last answer. */
export async function startService(t: TestScope, answers: Array<{ status: number; body: string } | "cut">) {
  const received: Received[] = [];
  const url = await serve(t, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const headers = Object.entries(request.headersDistinct);
      received.push({
        headers: Object.fromEntries(headers.map(([name, values]) => [name, String(values)])),
        body,
      });
      const answer = answers[Math.min(received.length, answers.length) - 1] ?? "cut";
      if (answer === "cut") response.destroy();
      else response.writeHead(answer.status).end(answer.body);
    });
  });
  return { received, url };
}

export const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;

/** Gives `agt_chat` the tool `refund`, which this service runs. `more`: keys of `http`. */
export function offerTool(
  world: World,
  url: string,
  {
    more = "",
    services = {},
  }: { more?: string; services?: Partial<Parameters<World["auth"]["setServices"]>[1]> } = {},
): void {
  const protocol = chat.protocol
    .replace("  tools: [get-order,", "  tools: [refund, get-order,")
    .replace("tools:\n", `tools:\n${toolAt(url, more)}`);
  world.agents.set("agt_chat", [{ ...chat, protocol }]);
  const { host } = new URL(url);
  const toolSecrets = [{ host, result: { case: "secret" as const, value: secret } }];
  world.auth.setServices(projectId, { toolHosts: [{ host }], toolSecrets, ...services });
}

/** The tool in a definition. */
export function toolAt(url: string, more = ""): string {
  return `  refund:\n    description: Refunds\n    parameters: { amount: { type: number } }\n    http: { url: "${url}/refunds"${more} }\n`;
}
