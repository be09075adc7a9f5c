import { outboxAgeS } from "@muster/events";
import type { AuthContext } from "./context.ts";

/** Reports how long events wait in each outbox. Returns a function that ends it. */
export function measureOutboxes({ metrics, clock, ...context }: AuthContext): () => void {
  if (metrics === undefined) return () => {};
  const { keys, tokens } = context;
  const stores = {
    ...{ keys, tokens, provider_keys: context.providerKeys, identity_providers: context.identityProviders },
    ...{ tool_secrets: context.toolSecrets, mcp_servers: context.mcpServers },
  };
  const age = (outbox: keyof typeof stores) =>
    metrics.gauge("muster_outbox_age_seconds", { outbox }, () =>
      outboxAgeS(stores[outbox].collection, clock),
    );
  const ends = [
    ...[age("keys"), age("tokens"), age("provider_keys"), age("identity_providers")],
    ...[age("tool_secrets"), age("mcp_servers")],
  ];
  return () => {
    for (const end of ends) end();
  };
}
