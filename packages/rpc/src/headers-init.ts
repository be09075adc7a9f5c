declare global {
  /** Connect's types name this global of the DOM library, which Node's types lack. */
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}

export {};
