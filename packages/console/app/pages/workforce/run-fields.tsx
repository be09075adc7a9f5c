import type { HiredAgent, ModelList, RunConfig, StoredRunConfig } from "@muster/client";
import { useId } from "react";
import { useApi } from "../../api.ts";
import { Field, TextField } from "../../parts/field.tsx";

type Thinking = NonNullable<RunConfig["thinking"]>;

const thinkings: readonly Thinking[] = ["off", "low", "medium", "high", "xhigh", "max", "auto"];

/** What a form says about the runs of an agent; empty texts are what the definition, or no limit, says. */
export interface RunDraft {
  name: string;
  model: string;
  thinking: string;
  record: boolean;
  monthlyUsd: string;
  monthlyTokens: string;
  monthlyRuns: string;
}

export const emptyDraft: RunDraft = {
  ...{ name: "", model: "", thinking: "", record: false },
  ...{ monthlyUsd: "", monthlyTokens: "", monthlyRuns: "" },
};

export function draftOf({ name, settings, limits }: HiredAgent): RunDraft {
  const { model = "", thinking = "", record = false } = settings;
  const text = (limit: number | null) => (limit === null ? "" : String(limit));
  return {
    ...{ name, model, thinking, record },
    monthlyUsd: text(limits.monthlyUsd),
    monthlyTokens: text(limits.monthlyTokens),
    monthlyRuns: text(limits.monthlyRuns),
  };
}

/** The part of a request that the draft decides. `settings` are replaced as a whole, so others of them are kept. */
export function bodyOf(
  draft: RunDraft,
  { model: _, thinking: __, record: ___, ...others }: StoredRunConfig = {},
) {
  const { name, model, thinking, record } = draft;
  const limit = (text: string) => (text.trim() === "" ? null : Number(text));
  const chosen = thinkings.find((each) => each === thinking);
  return {
    name,
    settings: {
      ...others,
      ...(model !== "" && { model }),
      ...(chosen !== undefined && { thinking: chosen }),
      ...(record && { record }),
    },
    limits: {
      monthlyUsd: limit(draft.monthlyUsd),
      monthlyTokens: limit(draft.monthlyTokens),
      monthlyRuns: limit(draft.monthlyRuns),
    },
  };
}

interface Props {
  draft: RunDraft;
  error: Error | null;
  onChange: (change: Partial<RunDraft>) => void;
}

export function RunFields({ draft, error, onChange }: Props) {
  const modelsId = useId();
  const { data } = useApi<ModelList>("/api/models");
  const field = (name: Exclude<keyof RunDraft, "record">) => ({
    value: draft[name],
    error,
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  });
  const limit = { type: "number", min: 0, placeholder: "No limit", inputMode: "decimal" } as const;
  return (
    <div className="grid gap-4">
      <TextField label="Name" path="name" required autoComplete="off" {...field("name")} />
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
        <TextField
          label="Model"
          path="settings.model"
          list={modelsId}
          autoComplete="off"
          placeholder="That of the definition"
          {...field("model")}
        />
        <datalist id={modelsId}>
          {data?.models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </datalist>
        <Field label="Thinking" error={error} path="settings.thinking">
          {(controls) => (
            <select
              {...controls}
              value={draft.thinking}
              onChange={({ target }) => onChange({ thinking: target.value })}
            >
              <option value="">That of the definition</option>
              {thinkings.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <fieldset className="grid gap-4 sm:grid-cols-3">
        <legend className="mb-2 text-small text-muted">
          Limits of a calendar month (UTC). An agent that reaches one is blocked until the limit is raised.
        </legend>
        <TextField
          label="US dollars"
          path="limits.monthlyUsd"
          step="any"
          {...limit}
          {...field("monthlyUsd")}
        />
        <TextField label="Tokens" path="limits.monthlyTokens" {...limit} {...field("monthlyTokens")} />
        <TextField label="Runs" path="limits.monthlyRuns" {...limit} {...field("monthlyRuns")} />
      </fieldset>
      <label className="flex items-center gap-2 text-table">
        <input
          type="checkbox"
          checked={draft.record}
          onChange={({ target }) => onChange({ record: target.checked })}
        />
        Record a video of every run
      </label>
    </div>
  );
}
