import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { RetryPolicy, ServiceConfig } from "@grpc/grpc-js";
import type { Balancing } from "./balancing/balancer.ts";

const retryPolicy: RetryPolicy = {
  maxAttempts: 4,
  initialBackoff: "0.05s",
  maxBackoff: "0.5s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"],
};

// A retry costs one token, a success returns a tenth; with fewer than half of the tokens left nothing is retried.
const retryThrottling = { maxTokens: 1000, tokenRatio: 0.1 };

/**
 * How a channel treats the methods of these services: calls are spread as `balancing` says, and repeated if that is
 * safe. A repeated call may run twice, so only methods that allow it in their `idempotency_level` are repeated, and
 * streams only if they change nothing and have not begun.
 */
export function serviceConfig(services: readonly DescService[], balancing: Balancing): ServiceConfig {
  const repeatable = services.flatMap((service) => service.methods.filter(isRepeatable));
  return {
    loadBalancingConfig: [balancing],
    methodConfig:
      repeatable.length === 0
        ? []
        : [
            {
              name: repeatable.map((method) => ({ service: method.parent.typeName, method: method.name })),
              retryPolicy,
            },
          ],
    retryThrottling,
  };
}

/** Running the method twice has the same effect as running it once. */
export function isRepeatable({ methodKind, idempotency }: DescMethod): boolean {
  if (methodKind === "unary") return idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN;
  return methodKind === "server_streaming" && idempotency === Idempotency.NO_SIDE_EFFECTS;
}

/** A call that may be repeated is sent at most this often by this package; grpc-js repeats it further if it is refused. */
export function maxTriesOf(method: DescMethod): number {
  return isRepeatable(method) ? 3 : 1;
}
