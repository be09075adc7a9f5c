import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { refresh, useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Panel } from "../../parts/split.tsx";

interface Props<Item> {
  path: string;
  /** Shown until it is read. */
  kind: string;
  titleOf: (item: Item) => string;
  onClose: () => void;
  children: (item: Item) => ReactNode;
}

/** The details of the row that is open. */
export function OpenItem<Item>({ path, kind, titleOf, onClose, children }: Props<Item>) {
  const { data, error, refetch } = useApi<Item>(path);
  return (
    <Panel title={data === undefined ? kind : titleOf(data)} onClose={onClose}>
      {data !== undefined && children(data)}
      {data === undefined && error === null && <Skeleton />}
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
    </Panel>
  );
}

/** Requests of buttons, one at a time. What is below the address is read again after each. */
export function useActions(address: string) {
  const action = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => refresh(address),
  });
  return { run: action.mutate, error: action.error, isBusy: action.isPending };
}
