/** Calls back before the next frame is painted. Elsewhere than in browsers, soon. */
export type Frame = (callback: () => void) => void;

const nextFrame: Frame = (callback) => {
  const request: unknown = Reflect.get(globalThis, "requestAnimationFrame");
  if (typeof request === "function") request.call(globalThis, callback);
  else setTimeout(callback, 16);
};

/**
 * State for `useSyncExternalStore`. It works while it has subscribers, and does nothing before, so that servers can render it.
 */
export abstract class Store<State extends object> {
  #state: State;
  readonly #frame: Frame;
  readonly #listeners = new Set<() => void>();
  #late: (() => Partial<State>) | undefined;
  #isConnected = false;

  constructor(state: State, frame: Frame = nextFrame) {
    this.#state = state;
    this.getServerSnapshot = () => state;
    this.#frame = frame;
  }

  readonly getSnapshot = (): State => this.#state;
  readonly getServerSnapshot: () => State;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#isConnected) {
      this.#isConnected = true;
      this.connect();
    }
    return () => {
      this.#listeners.delete(listener);
      // In strict mode, React subscribes again at once.
      queueMicrotask(() => {
        if (this.#listeners.size > 0 || !this.#isConnected) return;
        this.#isConnected = false;
        this.disconnect();
      });
    };
  };

  protected abstract connect(): void;
  protected abstract disconnect(): void;

  protected set(change: Partial<State>): void {
    const late = this.#late?.();
    this.#late = undefined;
    this.#state = { ...this.#state, ...late, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Makes a change with the next frame. The last one of several until then counts. */
  protected setInFrame(change: () => Partial<State>): void {
    const isAsked = this.#late !== undefined;
    this.#late = change;
    if (isAsked) return;
    this.#frame(() => {
      if (this.#late !== undefined) this.set({});
    });
  }
}
