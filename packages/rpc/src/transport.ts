import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { Channel, credentials } from "@grpc/grpc-js";
import type { Logger } from "@muster/service";
import { targetOf } from "./addresses.ts";
import { balancingConfig } from "./balancing/balancer.ts";
import { Instances } from "./balancing/instances.ts";
import { probeInstance } from "./balancing/probe.ts";
import type { Silence } from "./balancing/silence-watch.ts";
import { callStream } from "./client-stream.ts";
import { callUnary } from "./client-unary.ts";
import { maxMessageBytes } from "./codec.ts";
import { notCarried, onlyMessage } from "./only-message.ts";
import { serviceConfig } from "./service-config.ts";
import { deadlineAfter, defaultUnaryTimeoutMs, effectiveTimeout } from "./timeouts.ts";

export interface RpcTransportOptions {
  /**
   * `host:port` of each instance when they are IP addresses, else one name that resolves to all of them. Calls
   * take turns among those that respond.
   */
  addresses: readonly string[];
  /** The services to call. Unary methods that are safe to repeat are repeated on UNAVAILABLE. */
  services: readonly DescService[];
  /** For unary calls without a timeout of their own. Default: 30 s. Streams have no default. */
  defaultTimeoutMs?: number;
  /** Receives a line when an instance goes silent, and when it responds again. */
  log?: Logger;
  /** Overrides of {@link defaultSilence}, for tests. */
  silence?: Partial<SilenceTimings>;
}

interface SilenceTimings {
  /** A call that has heard nothing for this long has its instance probed. */
  suspectAfterMs: number;
  /** An instance that does not respond to a probe within this time is silent. */
  probeTimeoutMs: number;
  /** How often a silent instance is probed. */
  retryEveryMs: number;
}

/** A frozen instance costs a call 4 s at most. Each value tolerates an instance that is only busy. */
const defaultSilence: SilenceTimings = { suspectAfterMs: 1_500, probeTimeoutMs: 2_500, retryEveryMs: 1_000 };

const keepaliveMs = 10_000;
const keepaliveTimeoutMs = 5_000;

/** A Connect transport over a grpc-js channel: connects when first used, reconnects by itself. */
export function createRpcTransport(options: RpcTransportOptions): Transport & { close(): void } {
  const { suspectAfterMs, probeTimeoutMs, retryEveryMs } = { ...defaultSilence, ...options.silence };
  const instances = new Instances({
    probe: (address) => probeInstance(address, probeTimeoutMs),
    retryEveryMs,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  const silence: Silence = { instances, suspectAfterMs };
  const balancing = balancingConfig(instances);
  const channel = new Channel(targetOf(options.addresses), credentials.createInsecure(), {
    "grpc.service_config": JSON.stringify(serviceConfig(options.services, balancing.config)),
    "grpc.service_config_disable_resolution": 1,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.keepalive_time_ms": keepaliveMs,
    "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 5_000,
    "grpc.dns_min_time_between_resolutions_ms": 5_000,
    "grpc.enable_channelz": 0,
  });
  const defaultTimeoutMs = options.defaultTimeoutMs ?? defaultUnaryTimeoutMs;
  return {
    async unary(method, signal, timeoutMs, header, message) {
      const deadlineMs = deadlineAfter(effectiveTimeout(timeoutMs, defaultTimeoutMs));
      return await callUnary(channel, method, { method, message, header, signal, deadlineMs }, silence);
    },
    async stream(method, signal, timeoutMs, header, input) {
      if (method.methodKind !== "server_streaming") throw notCarried();
      const message = await onlyMessage(input);
      const deadlineMs = deadlineAfter(effectiveTimeout(timeoutMs, undefined));
      return await callStream(channel, method, { method, message, header, signal, deadlineMs }, silence);
    },
    close() {
      channel.close();
      instances.close();
      balancing.release();
    },
  };
}
