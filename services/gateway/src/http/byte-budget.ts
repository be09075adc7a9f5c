import { HttpProblem } from "../errors/http-problem.ts";

/** Bounds what requests hold in memory together. One project may take half of it, so that it cannot shut out the others. */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #refusal: string;
  readonly #byProject = new Map<string, number>();
  #bytes = 0;

  /** `refusal`: for users; says what takes all of it. */
  constructor(maxBytes: number, refusal: string) {
    this.#maxBytes = maxBytes;
    this.#refusal = refusal;
  }

  /** Returns the function that ends the reservation; calling it again does nothing. Throws UNAVAILABLE. */
  reserve(bytes: number, projectId: string): () => void {
    const ofProject = this.#byProject.get(projectId) ?? 0;
    if (ofProject + bytes > this.#maxBytes / 2 || this.#bytes + bytes > this.#maxBytes) {
      throw new HttpProblem("UNAVAILABLE", `${this.#refusal} Wait for Retry-After and try again.`, {
        retryAfterMs: 1_000,
        refusedBy: "overload",
      });
    }
    this.#add(bytes, projectId);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#add(-bytes, projectId);
    };
  }

  #add(bytes: number, projectId: string): void {
    this.#bytes += bytes;
    const ofProject = (this.#byProject.get(projectId) ?? 0) + bytes;
    if (ofProject === 0) this.#byProject.delete(projectId);
    else this.#byProject.set(projectId, ofProject);
  }
}
