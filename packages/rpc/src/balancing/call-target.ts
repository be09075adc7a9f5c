import type { MetadataOptions } from "@grpc/grpc-js";

/**
 * Remembers which instance a call went to, or requires one. It travels as the options of the call's metadata, because
 * they are all that grpc-js passes on unchanged from a call to the balancer that picks its instance.
 */
export class CallTarget implements MetadataOptions {
  readonly waitForReady = false;
  /** `host:port` of the only instance that may be picked. */
  readonly only: string | undefined;
  /** `host:port` of the last instance that was picked; undefined before. */
  address: string | undefined;

  constructor(only?: string) {
    this.only = only;
  }
}
