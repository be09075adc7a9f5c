import { Tabs } from "../../parts/tabs.tsx";

interface Props {
  open: "waiting" | "decided";
  waiting?: number | undefined;
}

export function ApprovalTabs({ open, waiting }: Props) {
  return (
    <Tabs
      label="Approvals"
      tabs={[
        {
          label: waiting ? `Waiting · ${waiting}` : "Waiting",
          to: "/approvals",
          isExact: open !== "waiting",
        },
        { label: "Decided", to: "/approvals/decided" },
      ]}
    />
  );
}
