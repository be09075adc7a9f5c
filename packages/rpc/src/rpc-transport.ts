import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { Channel, type ChannelOptions } from "@grpc/grpc-js";
import type { Logger } from "@muster/service";
import { balancingConfig } from "./balancing/balancer.ts";
import { Instances } from "./balancing/instances.ts";
import { probeInstance } from "./balancing/probe-instance.ts";
import type { Silence } from "./balancing/silence-watch.ts";
import { callStream } from "./call-stream.ts";
import { callUnary } from "./call-unary.ts";
import { notCarried, onlyMessage } from "./client.ts";
import { maxMessageBytes } from "./codec.ts";
import { Connections } from "./connection/connections.ts";
import { pingConnection } from "./connection/ping.ts";
import { WatchedCredentials } from "./connection/watched-credentials.ts";
import { createPrincipalRefusals } from "./principal-refusals.ts";
import { Naming, type NamingOptions } from "./resolving/name-resolver.ts";
import { serviceConfig } from "./service-config.ts";
import { targetOf } from "./target-of.ts";
import "./small-frames.ts";
import { deadlineAfter, defaultUnaryTimeoutMs, effectiveTimeout } from "./call-context.ts";

export interface RpcTransportOptions {
  /**
   * `host:port` of each instance when they are IP addresses, else one name that resolves to all of them and is looked
   * up every few seconds. Calls take turns among those that respond.
   */
  addresses: readonly string[];
  /** The services to call. Unary methods that are safe to repeat are repeated on UNAVAILABLE. */
  services: readonly DescService[];
  /** For unary calls without a timeout of their own. Default: 30 s. Streams have no default. */
  defaultTimeoutMs?: number;
  /** Receives a line when an instance goes silent, when it responds again, and when a service refuses principals. */
  log?: Logger;
  /** Overrides of {@link defaultSilence}, for tests. */
  silence?: Partial<SilenceTimings>;
  /** Overrides of how names are resolved, for tests. */
  naming?: NamingOptions;
  /** Overrides of {@link defaultKeepalive}, for tests. */
  keepalive?: Partial<KeepaliveTimings>;
}

type SilenceTimings = typeof defaultSilence;

/** A frozen instance costs a call 4 s at most if another can take it. Each value tolerates an instance that is only busy. */
const defaultSilence = {
  /** A call that has heard nothing for this long has its instance probed. */
  suspectAfterMs: 1_500,
  /** An instance that does not respond to a probe within this time is silent. */
  probeTimeoutMs: 2_500,
  /** How often a silent instance is probed. */
  retryEveryMs: 1_000,
  /** So often, `retryEveryMs` apart, a call checks whether silent instances are back, if no other can take it. */
  maxPauses: 8,
};

type KeepaliveTimings = typeof defaultKeepalive;

const defaultKeepalive = {
  /** A connection on which nothing has arrived for this long is pinged. */
  quietMs: 10_000,
  /** A connection whose ping goes without response for this long is closed. */
  pingTimeoutMs: 5_000,
};

type RpcTransport = Transport & { close(): void };

/** A Connect transport over a grpc-js channel: connects when first used, reconnects by itself. */
export function createRpcTransport(options: RpcTransportOptions): RpcTransport {
  return openTransport(options, {});
}

/**
 * Bidirectional calls have a channel of their own. To repeat calls, grpc-js accepts up to 1 MiB of requests that it cannot send
 * yet, as many as fit, and works on all of them for each one that it sends. Without that buffer, a caller waits for each.
 */
const withoutRetryBuffer = { "grpc.per_rpc_retry_buffer_size": 0 };

function openTransport(options: RpcTransportOptions, own: Partial<ChannelOptions>): RpcTransport {
  const { suspectAfterMs, probeTimeoutMs, retryEveryMs, maxPauses } = {
    ...defaultSilence,
    ...options.silence,
  };
  const instances = new Instances({
    probe: (address) => probeInstance(address, probeTimeoutMs),
    retryEveryMs,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  const silence: Silence = { instances, suspectAfterMs, pauseMs: retryEveryMs, maxPauses };
  const naming = new Naming({ log: options.log, ...options.naming });
  const balancing = balancingConfig({ instances, onGone: () => void naming.lookUpAgain() });
  const { quietMs, pingTimeoutMs } = { ...defaultKeepalive, ...options.keepalive };
  const connections = new Connections({
    ping: (address) => pingConnection(channel, address, pingTimeoutMs),
    quietMs,
  });
  const watched = new WatchedCredentials((socket) => connections.add(socket));
  const channel = new Channel(targetOf(options.addresses), watched, {
    ...naming.channelOptions,
    "grpc.service_config": JSON.stringify(serviceConfig(options.services, balancing.config)),
    "grpc.service_config_disable_resolution": 1,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 5_000,
    "grpc.enable_channelz": 0,
    ...own,
  });
  const defaultTimeoutMs = options.defaultTimeoutMs ?? defaultUnaryTimeoutMs;
  let bidirectional: RpcTransport | undefined;
  const refusals = createPrincipalRefusals(options.log);
  return {
    async unary(method, signal, timeoutMs, header, message) {
      const deadlineMs = deadlineAfter(effectiveTimeout(timeoutMs, defaultTimeoutMs));
      const outgoing = { method, message, header, signal, deadlineMs };
      try {
        return await callUnary(channel, method, outgoing, silence, naming);
      } catch (error) {
        refusals.note(method, error);
        throw error;
      }
    },
    async stream(method, signal, timeoutMs, header, input) {
      if (method.methodKind === "client_streaming") throw notCarried();
      const isBidirectional = method.methodKind === "bidi_streaming";
      if (isBidirectional && own !== withoutRetryBuffer) {
        bidirectional ??= openTransport(options, withoutRetryBuffer);
        return bidirectional.stream(method, signal, timeoutMs, header, input);
      }
      const requests = isBidirectional ? { requests: input } : { message: await onlyMessage(input) };
      const deadlineMs = deadlineAfter(effectiveTimeout(timeoutMs, undefined));
      const outgoing = { method, ...requests, header, signal, deadlineMs };
      try {
        return await callStream(channel, method, outgoing, silence, naming);
      } catch (error) {
        refusals.note(method, error);
        throw error;
      }
    },
    close() {
      bidirectional?.close();
      channel.close();
      connections.close();
      instances.close();
      balancing.release();
    },
  };
}
