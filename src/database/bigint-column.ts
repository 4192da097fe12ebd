import type { ColumnOptions } from 'typeorm';

/** A 64-bit column that is a bigint in code; the TypeORM driver reads such columns as text. */
export const bigintColumn = (options: ColumnOptions = {}): ColumnOptions => ({
  type: 'bigint',
  transformer: {
    to: (value: bigint | null | undefined) => value?.toString(),
    from: (value: string | null) => (value === null ? null : BigInt(value)),
  },
  ...options,
});
