import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Secret } from "@muster/service";
import { rememberAccess } from "./model-access.ts";
import type { MakeModel } from "./provider-definition.ts";

/** Making a model is expensive, so each is made once. Model ids come from users, who could fill the memory without a bound. */
export class ModelCache {
  readonly #models = new Map<string, LanguageModelV4>();
  readonly #maxModels: number;

  constructor(maxModels: number) {
    this.#maxModels = maxModels;
  }

  get(modelId: string): LanguageModelV4 | undefined {
    return this.#models.get(modelId);
  }

  /** Checks again: many calls may have waited for the maker. */
  getOrMake(modelId: string, make: () => LanguageModelV4): LanguageModelV4 {
    const model = this.#models.get(modelId) ?? make();
    this.#models.set(modelId, model);
    const [oldest] = this.#models.keys();
    if (this.#models.size > this.#maxModels && oldest !== undefined) this.#models.delete(oldest);
    return model;
  }
}

const maxModelsOfKey = 16;

interface KeyedModels {
  make: Promise<MakeModel>;
  models: ModelCache;
}

/** The models of short-lived keys. They go with their key. */
export class ModelsByKey {
  readonly #byKey = new WeakMap<Secret, KeyedModels>();

  /** `load`: called once for each key. */
  async resolve(
    apiKey: Secret,
    model: string,
    { baseUrl, load }: { baseUrl: string | undefined; load: () => Promise<MakeModel> },
  ): Promise<LanguageModelV4> {
    const { make, models } = this.#of(apiKey, load);
    const known = models.get(model);
    if (known !== undefined) return known;
    const maker = await make;
    return models.getOrMake(model, () => {
      const made = maker(model);
      rememberAccess(made, { apiKey, isProjects: true, baseUrl });
      return made;
    });
  }

  #of(apiKey: Secret, load: () => Promise<MakeModel>): KeyedModels {
    const known = this.#byKey.get(apiKey);
    if (known !== undefined) return known;
    const made = { make: load(), models: new ModelCache(maxModelsOfKey) };
    this.#byKey.set(apiKey, made);
    return made;
  }
}
