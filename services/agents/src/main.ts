import { runMain } from "@muster/service";
import { readAgentsConfig } from "./config.ts";
import { createAgentsService } from "./service.ts";

await runMain("agents", async ({ log }) => createAgentsService(readAgentsConfig(process.env), { log }));
