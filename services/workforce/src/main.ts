import { runMain } from "@muster/service";
import { readWorkforceConfig } from "./config.ts";
import { createWorkforceService } from "./service.ts";

await runMain("workforce", async ({ log }) =>
  createWorkforceService(readWorkforceConfig(process.env), { log }),
);
