import { describe, expect, it } from '@jest/globals';
import { FAILURE_CODES } from '../../src/core/failures.js';
import {
  countPaths,
  lastScanned,
  listOrders,
  pageOfOrders,
  pathsOf,
  type ListFilter,
  type PageFilter,
} from '../../src/support/order-search.sql.js';

const FILTERS: (ListFilter & PageFilter)[] = [
  { limit: 1 },
  { limit: 1, statuses: ['failed'] },
  { limit: 1, statuses: ['failed', 'completed'] },
  { limit: 1, statuses: ['completed', 'failed'] },
  { limit: 1, statuses: ['pending'], merchantIds: [1, 2], supplierIds: [3, 4], sku: 'A' },
  { limit: 1, failureCodes: [...FAILURE_CODES] as [(typeof FAILURE_CODES)[number]] },
];

describe('statements of filters', () => {
  it('are not kept by connections: each filter has its own text', () => {
    const statements = FILTERS.flatMap((filter) => {
      const query = { ...filter, firstId: 0n, endId: 9n, after: null };
      const paths = pathsOf(filter);
      return [
        listOrders(filter),
        countPaths(paths, query),
        ...paths.flatMap((path) => [pageOfOrders(path, query), lastScanned(path, query)]),
      ];
    });
    expect(new Set(statements.map(({ statement }) => statement.text)).size).toBeGreaterThan(FILTERS.length);
    expect(statements.map(({ statement }) => statement.name).filter((name) => name !== '')).toEqual([]);
  });
});
