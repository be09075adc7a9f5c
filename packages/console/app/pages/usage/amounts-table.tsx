import type { UsageGroup } from "@muster/client";
import type { ReactNode } from "react";
import { amountCells, amountTitles } from "./csv-of.ts";

interface Props {
  /** The heading of the first column. */
  title: string;
  groups: readonly UsageGroup[];
  nameOf: (group: UsageGroup) => ReactNode;
}

/** Groups of calls with their amounts. */
export function AmountsTable({ title, groups, nameOf }: Props) {
  return (
    <table className="w-full text-table">
      <thead className="text-small text-muted">
        <tr>
          <th className="px-3 py-2 text-left font-normal">{title}</th>
          {amountTitles.map((amount) => (
            <th key={amount} className={`px-3 py-2 text-right font-normal ${onWide(amount)}`}>
              {amount}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.name} className="border-t border-line">
            <th scope="row" className="w-2/5 px-3 py-2 text-left font-normal">
              {nameOf(group)}
            </th>
            {amountCells(group).map((cell, index) => (
              <td key={amountTitles[index]} className={`px-3 py-2 text-right ${onWide(amountTitles[index])}`}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A phone has space for two amounts. */
function onWide(title: string | undefined): string {
  return title === "Cost" || title === "Input tokens" ? "" : "max-md:hidden";
}
