import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  isMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { createServiceImplSpec, type MethodImplSpec, type ServiceImpl } from "@connectrpc/connect";

/** The two shapes of RPC that this package carries. */
export type MountedMethod = Extract<MethodImplSpec, { kind: "unary" | "server_streaming" }>;

/** A service with its implementation, ready for a server or the in-process transport. */
export interface Mounted {
  readonly service: DescService;
  readonly methods: ReadonlyMap<DescMethod, MountedMethod>;
}

/**
 * Ties a service to the implementation of all its methods: a new RPC does not compile until it has a handler.
 * Throws for services with client-streaming or bidirectional methods, which no transport here carries.
 */
export function mountService<T extends DescService>(service: T, impl: ServiceImpl<T>): Mounted {
  return mountPartial<T>(service, impl);
}

/**
 * Mounts a service with some methods deliberately missing; calls to those fail with UNIMPLEMENTED. For test
 * doubles and for services that are still being built.
 */
export function mountPartial<T extends DescService>(service: T, impl: Partial<ServiceImpl<T>>): Mounted {
  const spec = createServiceImplSpec(service, impl);
  const methods = new Map<DescMethod, MountedMethod>();
  for (const method of Object.values(spec.methods)) {
    if (method.kind !== "unary" && method.kind !== "server_streaming") {
      throw new Error(`${methodPath(method.method)} streams requests, which is not supported`);
    }
    methods.set(method.method, method);
  }
  return { service, methods };
}

/** The path of a method on the wire, `/package.Service/Method`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Turns a handler's response into the message that its caller expects. A message stays the same object. */
export function outputOf<O extends DescMessage>(
  output: O,
  mounted: MountedMethod,
  answer: MessageInitShape<DescMessage>,
): MessageShape<O> {
  const message = create(mounted.method.output, answer);
  if (isMessage(message, output)) return message;
  throw new Error(`${methodPath(mounted.method)} did not return a ${output.typeName}`);
}
