import { HttpProblem } from "../errors/http-problem.ts";

/** Who needs the memory. */
export interface MemoryOwner {
  projectId: string;
  /** A credential, within its project. */
  principal: string;
}

/** The clients of routes without a credential: they have one share together. */
export const everyone: MemoryOwner = { projectId: "", principal: "" };

export interface Reservation {
  /** Makes it larger; `bytes` in all. Throws UNAVAILABLE. */
  growTo(bytes: number): void;
  /** Calling it again does nothing. */
  end(): void;
}

/**
 * Bounds the memory that requests take together. One project may take half of it, and one principal half of that, so
 * that none can shut out the others.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #refusal: string;
  readonly #used = new Map<string, number>();
  #bytes = 0;

  /** `refusal`: for users; says what takes all of it. */
  constructor(maxBytes: number, refusal: string) {
    this.#maxBytes = maxBytes;
    this.#refusal = refusal;
  }

  /** Throws UNAVAILABLE. */
  reserve(bytes: number, { projectId, principal }: MemoryOwner): Reservation {
    const shares: Share[] = [
      { name: projectId, maxBytes: this.#maxBytes / 2 },
      { name: `${projectId} ${principal}`, maxBytes: this.#maxBytes / 4 },
    ];
    let reserved = 0;
    let isOver = false;
    const growTo = (wanted: number) => {
      if (isOver || wanted <= reserved) return;
      this.#add(wanted - reserved, shares);
      reserved = wanted;
    };
    growTo(bytes);
    return {
      growTo,
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#change(-reserved, shares);
      },
    };
  }

  #add(bytes: number, shares: readonly Share[]): void {
    const isOver = ({ name, maxBytes }: Share) => (this.#used.get(name) ?? 0) + bytes > maxBytes;
    if (this.#bytes + bytes > this.#maxBytes || shares.some(isOver)) {
      throw new HttpProblem("UNAVAILABLE", `${this.#refusal} Wait for Retry-After and try again.`, {
        retryAfterMs: 1_000,
        refusedBy: "overload",
      });
    }
    this.#change(bytes, shares);
  }

  #change(bytes: number, shares: readonly Share[]): void {
    this.#bytes += bytes;
    for (const { name } of shares) {
      const used = (this.#used.get(name) ?? 0) + bytes;
      if (used === 0) this.#used.delete(name);
      else this.#used.set(name, used);
    }
  }
}

interface Share {
  name: string;
  maxBytes: number;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined until the request is authenticated. */
    owner: MemoryOwner | undefined;
  }
}
