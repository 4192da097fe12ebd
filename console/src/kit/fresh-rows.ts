import { useState } from 'react';

interface FreshRows<Row> {
  rows: readonly Row[];
  /** How many came since the list was first shown. */
  freshCount: number;
  showFresh: () => void;
}

/**
 * The rows of a list that refreshes by itself, newest first: those that come on top are counted and wait until they are asked
 * for, so that nothing moves under the pointer; those that are shown follow what they are about.
 * @param scope tells one list from another, such as its filters: with another list all begins again.
 */
export function useFreshRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string, scope: string): FreshRows<Row> {
  const [seen, setSeen] = useState({ scope, newest: newestOf(rows, keyOf) });
  const isOther = seen.scope !== scope || seen.newest === null;
  if (isOther && (seen.scope !== scope || rows.length > 0)) setSeen({ scope, newest: newestOf(rows, keyOf) });
  const at = rows.findIndex((row) => keyOf(row) === seen.newest);
  // The newest row that was seen may have left the list: then nothing tells what is new.
  const freshCount = isOther || at === -1 ? 0 : at;
  return {
    rows: rows.slice(freshCount),
    freshCount,
    showFresh: () => setSeen({ scope, newest: newestOf(rows, keyOf) }),
  };
}

const newestOf = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): string | null =>
  rows[0] === undefined ? null : keyOf(rows[0]);
