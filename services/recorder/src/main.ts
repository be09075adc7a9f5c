import { tmpdir } from "node:os";
import { connectNatsBus } from "@muster/events";
import { openMetrics, withMetrics } from "@muster/metrics";
import { RecordingsService } from "@muster/proto/recordings";
import { createRpcTransport } from "@muster/rpc/grpc";
import { requireWritableFolder, runMain, stopAll } from "@muster/service";
import { recordingsIn } from "@muster/storage/recordings";
import { renderVideo } from "@muster/video";
import { readRecorderConfig } from "./config.ts";
import { createRecorderService } from "./service.ts";

await runMain("recorder", readRecorderConfig, async ({ config, log, onFatal }) => {
  const { workforceAddresses } = config;
  await requireWritableFolder("FILES_DIRECTORY", recordingsIn(config.directory));
  await requireWritableFolder("TMPDIR", tmpdir());
  const opened = await openMetrics(config.metrics, { process: "recorder", log });
  const metrics = opened?.metrics;
  const workforce = createRpcTransport({ addresses: workforceAddresses, services: [RecordingsService], log });
  const bus = await connectNatsBus({ url: config.natsUrl, name: "recorder", log, metrics, onFatal });
  const service = createRecorderService(config, { bus, log, metrics, workforce, render: renderVideo });
  return withMetrics(opened, {
    start: () => service.start(),
    stop: () => stopAll([() => service.stop(), async () => workforce.close(), () => bus.close()]),
  });
});
