import { useState } from "react";
import { SelectField } from "./select-field.tsx";
import { useAgentsInReading } from "./use-agents.ts";

interface Props {
  name: string;
  path: string;
  error: Error | null;
  hint?: string;
  /** The stored id. It stays a choice if its agent cannot be listed. */
  chosen?: string | undefined;
  /** The agents with definitions, or those of the workforce. Default: all, or none of them. */
  only?: "defined" | "hired";
}

const missing = {
  defined: "There is no agent yet. Create one on the page Agents.",
  hired: "There is no teammate yet. Hire one on the page Workforce.",
};

/** An agent. A list that is read later, or again, changes no choice. */
export function AgentField({ chosen, only, ...field }: Props) {
  const { agents, isReading } = useAgentsInReading();
  const [picked, pick] = useState(only === undefined ? (chosen ?? "") : chosen);
  const listed = agents.filter(({ isHired }) => only === undefined || isHired === (only === "hired"));
  // The first one is chosen once they are read.
  if (picked === undefined && listed[0] !== undefined) pick(listed[0].id);
  const isMissing = picked && listed.every(({ id }) => id !== picked);
  return (
    <SelectField
      label="Agent"
      choices={[
        ...(only === undefined ? [["", "Any agent"] as const] : []),
        ...(isMissing ? [[picked, isReading ? "…" : picked] as const] : []),
        ...listed.map(({ id, name, isHired }) => {
          const kind = isHired && only === undefined ? " (workforce)" : "";
          return [id, `${name}${kind}`] as const;
        }),
      ]}
      value={picked ?? ""}
      onChoose={pick}
      {...field}
      {...(!isReading && listed.length === 0 && only !== undefined && { hint: missing[only] })}
    />
  );
}
