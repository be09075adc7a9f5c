import { useAgents } from "../../parts/use-agents.ts";
import { SelectField } from "./select-field.tsx";

interface Props {
  name: string;
  path: string;
  error: Error | null;
}

/** A workforce agent. */
export function AgentField(props: Props) {
  const agents = useAgents().filter(({ isHired }) => isHired);
  return (
    // The first agent is chosen once they are read.
    <SelectField
      key={agents.length}
      label="Agent"
      choices={agents.map(({ id, name }) => [id, name] as const)}
      {...props}
    />
  );
}
