import type { Approval } from "@muster/client";
import { useKeyNames } from "../../parts/key-names.ts";
import { Card, Facts, Section } from "../../parts/page.tsx";
import { Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ArgumentsDiff } from "./arguments-diff.tsx";

const meanings: Readonly<Record<string, string>> = {
  expired: "No user decided in time, so the tool was not called.",
  cancelled: "The turn ended without the call, so there is nothing to decide.",
};

/** How the call was decided. `isLate`: a decision of this user arrived afterwards. */
export function Outcome({ approval, isLate }: { approval: Approval; isLate: boolean }) {
  const { status, decidedBy, decidedAt, message, args, editedArgs } = approval;
  const nameOf = useKeyNames();
  return (
    <Card className="grid gap-3">
      {isLate && <p role="status">This was settled before your decision arrived. Yours changed nothing.</p>}
      <Facts
        rows={[
          ["State", <Status key="state" state={status} />],
          ...(decidedBy === undefined ? [] : [["By", nameOf(decidedBy)] as const]),
          ...(decidedAt === undefined ? [] : [["Decided", <When key="at" at={decidedAt} />] as const]),
          ...(message === undefined ? [] : [["Note", message] as const]),
        ]}
      />
      {meanings[status] !== undefined && <p className="text-table text-muted">{meanings[status]}</p>}
      {editedArgs !== undefined && (
        <Section title="Approved with a change">
          <ArgumentsDiff before={args} after={editedArgs} />
        </Section>
      )}
    </Card>
  );
}
