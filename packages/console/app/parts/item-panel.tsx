import type { ReactNode } from "react";
import { useApi } from "../api.ts";
import { Empty, Skeleton } from "./empty.tsx";
import { Failure } from "./failure.tsx";
import { isGone } from "./gone.tsx";
import { Panel } from "./split.tsx";

interface Props<Reply, Item> {
  /** The route of the list, or of the element. */
  path: string;
  find: (reply: Reply) => Item | undefined;
  /** Its noun, such as `key`. */
  kind: string;
  titleOf: (item: Item) => string;
  onClose: () => void;
  children: (item: Item) => ReactNode;
}

/** The details of one element: that of a route, or of a list that the API returns as a whole. */
export function ItemPanel<Reply, Item>({ path, find, kind, titleOf, onClose, children }: Props<Reply, Item>) {
  const { data, error, refetch } = useApi<Reply>(path);
  const item = data === undefined ? undefined : find(data);
  if (item !== undefined)
    return (
      <Panel title={titleOf(item)} onClose={onClose}>
        {children(item)}
      </Panel>
    );
  const isMissing = data !== undefined || isGone(error);
  return (
    <Panel title={isMissing ? `No ${kind}` : `The ${kind}`} onClose={onClose}>
      {isMissing ? (
        <Empty title={`This ${kind} does not exist`}>It may have been deleted.</Empty>
      ) : error === null ? (
        <Skeleton />
      ) : (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </Panel>
  );
}
