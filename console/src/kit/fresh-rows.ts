import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

interface FreshRows<Row> {
  rows: readonly Row[];
  /** How many rows the list has gained since the operator last saw its top. */
  freshCount: number;
  showFresh: () => void;
}

/**
 * The rows of a list that refreshes by itself, newest first. New rows wait until the operator asks for them, so that
 * nothing moves under the pointer. Rows that are already visible keep updating.
 * @param scope identifies the list, such as its filters. A new scope starts again.
 */
export function useFreshRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string, scope: string): FreshRows<Row> {
  const [seen, setSeen] = useState({ scope, newest: newestOf(rows, keyOf) });
  const isOther = seen.scope !== scope || seen.newest === null;
  if (isOther && (seen.scope !== scope || rows.length > 0)) setSeen({ scope, newest: newestOf(rows, keyOf) });
  const at = rows.findIndex((row) => keyOf(row) === seen.newest);
  // When the newest seen row has left the list, nothing shows which rows are new.
  const freshCount = isOther || at === -1 ? 0 : at;
  return {
    rows: rows.slice(freshCount),
    freshCount,
    showFresh: () => setSeen({ scope, newest: newestOf(rows, keyOf) }),
  };
}

/**
 * Identifies a list by its parameters. Until the rows of other parameters have arrived, a page shows the rows of the ones before:
 * these must not count as seen, or new rows above them would wait for the operator.
 */
export const scopeOf = ({ isPlaceholderData }: Pick<UseQueryResult, 'isPlaceholderData'>, params: unknown): string =>
  isPlaceholderData ? 'before' : JSON.stringify(params);

const newestOf = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): string | null =>
  rows[0] === undefined ? null : keyOf(rows[0]);
