export interface PartitionedTable {
  name: string;
  /** The column that its ranges are of. */
  key: string;
  /** Whether its own rows are numbered, by the column `id`. */
  isNumbered?: boolean;
}

/** Tables that are divided together, at the same ids. */
export interface PartitionSet {
  name: 'orders' | 'transfers';
  /** Each before those that refer to it. The ranges are of the ids of the first one. */
  tables: readonly [PartitionedTable, ...PartitionedTable[]];
}

export const ORDERS: PartitionSet = {
  name: 'orders',
  tables: [
    { name: 'orders', key: 'id', isNumbered: true },
    { name: 'order_items', key: 'order_id' },
    { name: 'order_units', key: 'order_id' },
    { name: 'unit_attempts', key: 'order_id' },
    { name: 'supplier_calls', key: 'order_id', isNumbered: true },
  ],
};

/** Movements of money: those of operators are of no order, so they have ranges of their own ids. */
export const TRANSFERS: PartitionSet = {
  name: 'transfers',
  tables: [{ name: 'transfers', key: 'id', isNumbered: true }],
};

export const PARTITION_SETS: readonly PartitionSet[] = [ORDERS, TRANSFERS];

/** All their tables, each with the column that its ranges are of, and the table whose ids these are where they are not its own. */
export const PARTITIONED_TABLES: readonly { table: string; key: string; idsOf?: string }[] = PARTITION_SETS.flatMap(
  ({ tables: [first, ...others] }) => [
    { table: first.name, key: first.key },
    ...others.map(({ name, key }) => ({ table: name, key, idsOf: first.name })),
  ],
);
