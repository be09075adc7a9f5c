import type { LabelsOf, Metrics } from "@muster/metrics";
import type { FastifyRequest } from "fastify";

type Method = LabelsOf<"muster_http_request_duration_seconds">["method"];
type Outcome = LabelsOf<"muster_stream_outcomes_total">["outcome"];

const methods: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const outcomes: Readonly<Record<string, Outcome>> = {
  stop: "stop",
  "tool-calls": "tool-calls",
  "client-tool-calls": "client-tool-calls",
  length: "length",
  "content-filter": "content-filter",
  error: "error",
  "client left": "client_left",
  cut: "cut",
};

/** The contents of the access line of a request whose response has ended. */
interface Ended {
  /** Undefined for a path that does not exist. */
  route: string | undefined;
  /** Undefined if the client left before the response. */
  status: number | undefined;
  startedMs: number;
  /** Whether the last byte was sent. */
  isSent: boolean;
}

/** Counts the gateway's requests where their lines are logged, so that both say the same. */
export class HttpMetrics {
  readonly #metrics: Metrics;
  #inProgress = 0;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Reports the requests in progress and the open streams. Returns a function that ends it. */
  watch(streams: { readonly size: number }): () => void {
    const ends = [
      this.#metrics.gauge("muster_http_requests_in_progress", {}, () => this.#inProgress),
      this.#metrics.gauge("muster_streams_open", { service: "gateway" }, () => streams.size),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  began(): void {
    this.#inProgress++;
  }

  ended(request: FastifyRequest, { route = "none", status, startedMs, isSent }: Ended): void {
    this.#inProgress--;
    const method = methods.find((known) => known === request.method) ?? "other";
    this.#metrics.count("muster_http_requests_total", { route, method, status: String(status ?? "none") });
    const { summary } = request;
    if (summary === undefined) {
      const durationS = (performance.now() - startedMs) / 1e3;
      this.#metrics.observe("muster_http_request_duration_seconds", { route, method }, durationS);
    } else {
      this.#metrics.count("muster_stream_outcomes_total", {
        outcome: outcomes[summary.outcome(isSent)] ?? "other",
      });
      const { firstDeltaAtMs } = summary;
      if (firstDeltaAtMs !== undefined)
        this.#metrics.observe("muster_first_delta_seconds", {}, (firstDeltaAtMs - startedMs) / 1e3);
    }
    const reason = request.refusedBy ?? (status === 401 ? "auth" : undefined);
    if (reason !== undefined) this.#metrics.count("muster_http_refusals_total", { reason });
  }
}
