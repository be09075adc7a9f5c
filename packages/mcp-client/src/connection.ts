import {
  type AuthProvider,
  Client,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { AnsweredTransport } from "./answered-transport.ts";
import type { Exchange } from "./exchange.ts";
import type { McpServer } from "./mcp-server.ts";
import { serverHeaders } from "./server-headers.ts";

export interface Connection {
  client: Client;
  transport: AnsweredTransport;
}

/** A server's schemas are hostile input: nothing compiles them in this process, so output is not validated. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const maxPages = 32;

/** Prepares one exchange with a server. Nothing is sent before `client.connect(transport)`. */
export function createConnection(
  server: McpServer,
  exchange: Exchange,
  { authProvider, version }: { authProvider: AuthProvider | undefined; version: string },
): Connection {
  const inner = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: exchange.fetch,
    requestInit: { headers: serverHeaders(server) },
    onInsufficientScope: "throw",
    ...(authProvider !== undefined && { authProvider }),
  });
  const client = new Client(
    { name: "muster", version },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: neverMs } },
      jsonSchemaValidator: noValidator,
      listMaxPages: maxPages,
    },
  );
  return { client, transport: new AnsweredTransport(inner, exchange) };
}

/** The limits of the exchange apply, not those of the SDK, whose errors do not say which limit it was. */
export const neverMs = 2 ** 31 - 1;
