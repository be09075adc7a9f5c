import {
  connectivityState,
  experimental,
  Metadata,
  type ServiceConfig,
  status as Status,
} from "@grpc/grpc-js";
import { CallTarget } from "./call-target.ts";
import type { Instances } from "./instances.ts";

const typeName = "muster_round_robin";

/** The parts of grpc-js's interfaces; it exports their types only through this namespace. */
type Picker = experimental.Picker;
type PickArgs = experimental.PickArgs;
type PickResult = experimental.PickResult;

/** The name of a balancer with its settings. */
export type Balancing = ServiceConfig["loadBalancingConfig"][number];

/** A channel's configuration is text, so it names the object that all of its parts share. */
const registered = new Map<string, Balanced>();
let lastId = 0;

interface Balanced {
  instances: Instances;
  /** An instance has left, or cannot be connected. */
  onGone(): void;
}

/** How the text of a status begins if no instance could be picked. The call was not sent. */
export const unsentPrefix = "Not sent: ";

/** The text of a status if all connected instances are silent. The call was not sent. */
export const allSilentText = `${unsentPrefix}No instance responds`;

/**
 * A `loadBalancingConfig` with which calls take turns among all instances that are connected and not silent. grpc-js's
 * own outlier detection counts every refused request as a failure, and so would exclude healthy instances.
 */
export function balancingConfig(balanced: Balanced): { config: Balancing; release(): void } {
  registerOnce();
  const id = String(++lastId);
  registered.set(id, balanced);
  return { config: { [typeName]: { id } }, release: () => void registered.delete(id) };
}

class BalancingConfig implements experimental.TypedLoadBalancingConfig {
  readonly id: string;
  readonly child = experimental.parseLoadBalancingConfig({ round_robin: {} });

  constructor(id: string) {
    this.id = id;
  }

  getLoadBalancerName(): string {
    return typeName;
  }

  toJsonObject(): object {
    return { [typeName]: { id: this.id } };
  }

  static createFromJson(json: { id: string }): BalancingConfig {
    return new BalancingConfig(json.id);
  }
}

/** grpc-js's round robin, whose picks skip silent instances, and whose failures show that nothing was sent. */
class Balancer implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler;
  #balanced: Balanced | undefined;

  constructor(helper: experimental.ChannelControlHelper) {
    this.#child = new experimental.ChildLoadBalancerHandler(
      experimental.createChildChannelControlHelper(helper, {
        updateState: (state, picker, message) =>
          helper.updateState(state, this.#pickerFor(state, picker), message),
        requestReresolution: () => {
          helper.requestReresolution();
          this.#balanced?.onGone();
        },
      }),
    );
  }

  updateAddressList(
    ...[endpoints, config, options, note]: Parameters<experimental.LoadBalancer["updateAddressList"]>
  ): boolean {
    if (!(config instanceof BalancingConfig)) return false;
    this.#balanced = registered.get(config.id);
    return this.#child.updateAddressList(endpoints, config.child, options, note);
  }

  #pickerFor(state: connectivityState, picker: Picker): Picker {
    if (state === connectivityState.TRANSIENT_FAILURE) return new UnsentPicker(picker);
    if (state !== connectivityState.READY || this.#balanced === undefined) return picker;
    return new SkippingPicker(picker, this.#balanced.instances);
  }

  exitIdle(): void {
    this.#child.exitIdle();
  }

  resetBackoff(): void {
    this.#child.resetBackoff();
  }

  destroy(): void {
    this.#child.destroy();
  }

  getTypeName(): string {
    return typeName;
  }
}

/** No instance is connected. */
class UnsentPicker implements Picker {
  readonly #child: Picker;

  constructor(child: Picker) {
    this.#child = child;
  }

  pick(args: PickArgs): PickResult {
    const picked = this.#child.pick(args);
    if (picked.status === null) return picked;
    return { ...picked, status: { ...picked.status, details: unsentPrefix + picked.status.details } };
  }
}

class SkippingPicker implements Picker {
  readonly #child: Picker;
  readonly #instances: Instances;

  constructor(child: Picker, instances: Instances) {
    this.#child = child;
    this.#instances = instances;
  }

  pick(args: PickArgs): PickResult {
    const options = args.metadata.getOptions();
    const target = options instanceof CallTarget ? options : undefined;
    let firstSkipped: string | undefined;
    while (true) {
      const picked = this.#child.pick(args);
      const address = picked.subchannel?.getAddress();
      if (address === undefined) return picked;
      if (this.#isWanted(address, target?.only)) {
        if (target !== undefined) target.address = address;
        return picked;
      }
      // The round is complete.
      if (address === firstSkipped) return target?.only === undefined ? allSilent : notConnected;
      firstSkipped ??= address;
    }
  }

  #isWanted(address: string, only: string | undefined): boolean {
    return only === undefined ? !this.#instances.isSilent(address) : address === only;
  }
}

/** `DROP`: grpc-js itself does not repeat the call, and spends nothing of its budget for repeats. */
function unavailable(type: "DROP" | "TRANSIENT_FAILURE", details: string) {
  return {
    pickResultType: experimental.PickResultType[type],
    subchannel: null,
    status: { code: Status.UNAVAILABLE, details, metadata: new Metadata() },
    onCallStarted: null,
    onCallEnded: null,
  } satisfies PickResult;
}

const allSilent = unavailable("DROP", allSilentText);
const notConnected = unavailable("TRANSIENT_FAILURE", "The instance is not connected");

function registerOnce(): void {
  if (experimental.isLoadBalancerNameRegistered(typeName)) return;
  experimental.registerLoadBalancerType(typeName, Balancer, BalancingConfig);
}
