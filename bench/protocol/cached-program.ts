import { createClient, createHandlerContext, createRouterTransport } from "@connectrpc/connect";
import { AgentsService, Format } from "@muster/proto/agents";
import { createPrograms } from "../../services/sessions/src/agents/programs.ts";
import { median } from "../support/figures.ts";
import { soundDefinition } from "./sample.ts";

const batch = 10_000;

/** The median time, in microseconds, to look up one program in the sessions service's cache, as its handlers do. */
export async function measureCachedProgram(batches: number): Promise<number> {
  const { settings, protocol, prompts, references } = soundDefinition();
  const definition = {
    settings: { slug: settings.slug, name: settings.name, format: Format.INTERACTIVE },
    ...{ protocol, prompts: [...prompts], references: [...references] },
  };
  const transport = createRouterTransport(({ service }) => {
    const agent = { id: "agt_1", projectId: "prj_1", version: 1, definition };
    service(AgentsService, { getDefinition: () => ({ agent }) });
  });
  const programs = createPrograms(createClient(AgentsService, transport));
  const call = createHandlerContext({
    service: AgentsService,
    method: AgentsService.method.getDefinition,
    protocolName: "grpc",
    requestMethod: "POST",
    url: "http://localhost",
  });
  const agent = { projectId: "prj_1", agentId: "agt_1", agentVersion: 1 };
  const samples: number[] = [];
  for (let index = 0; index <= batches; index++) {
    const startMs = performance.now();
    for (let i = 0; i < batch; i++) await programs.pinned(agent, "interactive", call);
    // The first batch compiles.
    if (index > 0) samples.push(((performance.now() - startMs) / batch) * 1_000);
  }
  return median(samples);
}
