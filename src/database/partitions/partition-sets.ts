export interface PartitionedTable {
  name: string;
  /** The column that its ranges are of. */
  key: string;
  /** Whether its own rows are numbered, by the column `id`. */
  isNumbered?: boolean;
}

/** Tables that are divided together, at the same ids. */
export interface PartitionSet {
  name: 'orders';
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
