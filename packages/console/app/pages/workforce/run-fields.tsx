import type { HiredAgent, ModelList } from "@muster/client";
import { type ReactNode, useId } from "react";
import { useApi } from "../../api.ts";
import { Field, TextField } from "../../parts/field.tsx";
import { type At, numberIn, textIn } from "../../parts/form.tsx";

const thinkings = ["off", "low", "medium", "high", "xhigh", "max", "auto"];

/** The tool that runs commands. */
const shell = "shell__run_command";

type Stored = Pick<HiredAgent, "settings" | "approvals" | "capabilities">;

const nothing: Stored = { settings: {}, approvals: {}, capabilities: {} };

/** The part of a request that the fields decide. Settings and rules are replaced as a whole, so the others are sent, too. */
export function bodyOf(values: FormData, { settings, approvals, capabilities } = nothing) {
  const { model: _model, thinking: _thinking, record: _record, ...others } = settings;
  const { [shell]: rule, ...otherRules } = approvals;
  const model = textIn(values, "settings.model");
  const thinking = textIn(values, "settings.thinking");
  return {
    name: textIn(values, "name") ?? "",
    ...(values.has("latest") && { version: "latest" }),
    settings: {
      ...others,
      ...(model !== undefined && { model }),
      ...(thinking !== undefined && { thinking }),
      ...(values.has("settings.record") && { record: true }),
    },
    approvals: {
      ...otherRules,
      ...(values.has("ask") ? { [shell]: "ask" } : rule === "deny" && { [shell]: rule }),
    },
    capabilities: Object.fromEntries(
      Object.keys(capabilities).map((slug) => [slug, values.has(`capabilities.${slug}`)]),
    ),
    limits: {
      monthlyUsd: numberIn(values, "limits.monthlyUsd"),
      monthlyTokens: numberIn(values, "limits.monthlyTokens"),
      monthlyRuns: numberIn(values, "limits.monthlyRuns"),
    },
  };
}

/** The fields of a new agent, or of one that exists. */
export function RunFields({ at, agent }: { at: At; agent?: HiredAgent }) {
  const modelsId = useId();
  const { data } = useApi<ModelList>("/api/models");
  const { settings = {}, limits } = agent ?? {};
  const limit = { inputMode: "decimal", placeholder: "No limit", autoComplete: "off" } as const;
  return (
    <div className="grid gap-4">
      <TextField label="Name" {...at("name")} autoComplete="off" defaultValue={agent?.name} />
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <TextField
          label="Model"
          {...at("settings.model")}
          list={modelsId}
          autoComplete="off"
          placeholder="That of the definition"
          defaultValue={settings.model}
        />
        <datalist id={modelsId}>
          {data?.models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </datalist>
        <Thinking at={at} chosen={settings.thinking} />
      </div>
      <fieldset className="grid gap-4 sm:grid-cols-3">
        <legend className="mb-2 text-small text-muted">
          Limits per calendar month (UTC). An agent that reaches one is blocked until the limit is raised.
        </legend>
        <TextField
          label="US dollars"
          {...at("limits.monthlyUsd")}
          {...limit}
          defaultValue={limits?.monthlyUsd ?? ""}
        />
        <TextField
          label="Tokens"
          {...at("limits.monthlyTokens")}
          {...limit}
          defaultValue={limits?.monthlyTokens ?? ""}
        />
        <TextField
          label="Runs"
          {...at("limits.monthlyRuns")}
          {...limit}
          defaultValue={limits?.monthlyRuns ?? ""}
        />
      </fieldset>
      <Tick name="settings.record" isOn={settings.record}>
        Record a video of every run
      </Tick>
      <Tick name="ask" isOn={agent?.approvals[shell] === "ask"}>
        Ask a user before every command
      </Tick>
      {agent !== undefined && (
        <Tick name="latest" isOn={false}>
          Move to the latest version of the definition, for new tasks
        </Tick>
      )}
      {Object.entries(agent?.capabilities ?? {}).map(([slug, isOn]) => (
        <Tick key={slug} name={`capabilities.${slug}`} isOn={isOn}>
          Capability <code className="font-mono text-small">{slug}</code>
        </Tick>
      ))}
    </div>
  );
}

interface TickProps {
  name: string;
  isOn: boolean | undefined;
  children: ReactNode;
}

function Tick({ name, isOn, children }: TickProps) {
  return (
    <label className="flex items-center gap-2 text-table max-md:min-h-8">
      <input type="checkbox" name={name} defaultChecked={isOn} className="size-4 accent-accent" />
      <span>{children}</span>
    </label>
  );
}

function Thinking({ at, chosen = "" }: { at: At; chosen?: string | undefined }) {
  const { name, ...issues } = at("settings.thinking");
  return (
    <Field label="Thinking" {...issues}>
      {(controls) => (
        <select {...controls} name={name} defaultValue={chosen}>
          <option value="">That of the definition</option>
          {thinkings.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
