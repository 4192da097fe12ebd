export interface PartitionedTable {
  name: string;
  /** The partition key. */
  key: string;
  /** Whether a sequence numbers its rows, in the column `id`. */
  isNumbered?: boolean;
}

/** Tables that are partitioned together, at the same ids. */
export interface TableGroup {
  name: 'orders' | 'transfers';
  /** Each table comes before the tables that refer to it. Each partition holds a range of ids of the first table. */
  tables: readonly [PartitionedTable, ...PartitionedTable[]];
}

export const ORDERS: TableGroup = {
  name: 'orders',
  tables: [
    { name: 'orders', key: 'id', isNumbered: true },
    { name: 'order_items', key: 'order_id' },
    { name: 'order_units', key: 'order_id' },
    { name: 'unit_attempts', key: 'order_id' },
    { name: 'supplier_calls', key: 'order_id', isNumbered: true },
  ],
};

/** The ranges are transfers' own ids, because credits and debits have no order. */
export const TRANSFERS: TableGroup = {
  name: 'transfers',
  tables: [{ name: 'transfers', key: 'id', isNumbered: true }],
};

export const TABLE_GROUPS: readonly TableGroup[] = [ORDERS, TRANSFERS];

/** The tables of all groups. `idsOf` is the table to which the key refers; absent if the key is the table's own id. */
export const PARTITIONED_TABLES: readonly { table: string; key: string; idsOf?: string }[] = TABLE_GROUPS.flatMap(
  ({ tables: [first, ...others] }) => [
    { table: first.name, key: first.key },
    ...others.map(({ name, key }) => ({ table: name, key, idsOf: first.name })),
  ],
);
