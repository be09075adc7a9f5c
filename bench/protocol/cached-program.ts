import { createClient, createHandlerContext, createRouterTransport } from "@connectrpc/connect";
import { AgentsService, Format } from "@muster/proto/agents";
import { createPrograms } from "../../services/sessions/src/agents/programs.ts";
import { soundDefinition } from "./sample.ts";
import { type Distribution, distributionOf } from "./timing.ts";

const batch = 10_000;

/** The time to look up one program in the sessions service's cache, the way its handlers do. */
export async function measureCachedProgram(batches: number): Promise<Distribution> {
  const programs = createPrograms(createClient(AgentsService, createRouterTransport(serveSample)));
  const call = createHandlerContext({
    service: AgentsService,
    method: AgentsService.method.getDefinition,
    protocolName: "grpc",
    requestMethod: "POST",
    url: "http://localhost",
  });
  const agent = { projectId: "prj_1", agentId: "agt_1", agentVersion: 1 };
  const samplesMs: number[] = [];
  for (let index = 0; index <= batches; index++) {
    const startMs = performance.now();
    for (let i = 0; i < batch; i++) await programs.pinned(agent, "interactive", call);
    // The first batch compiles.
    if (index > 0) samplesMs.push((performance.now() - startMs) / batch);
  }
  return distributionOf(samplesMs);
}

function serveSample({ service }: Parameters<Parameters<typeof createRouterTransport>[0]>[0]): void {
  const { settings, protocol, prompts, references } = soundDefinition();
  const { slug, name } = settings;
  const definition = {
    settings: { slug, name, format: Format.INTERACTIVE },
    protocol,
    prompts: [...prompts],
    references: [...references],
  };
  service(AgentsService, {
    getDefinition: () => ({ agent: { id: "agt_1", projectId: "prj_1", version: 1, definition } }),
  });
}
