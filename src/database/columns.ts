import { PrimaryGeneratedColumn, type ColumnOptions, type ValueTransformer } from 'typeorm';

type TimestampColumn = { type: 'timestamptz'; precision: number };
type BigintColumn = { type: 'bigint'; transformer: ValueTransformer };

/** A 64-bit column, a bigint in code. TypeORM's pool reads such columns as text, the pool of `Database` as bigint. */
export const bigintColumn = <Options extends ColumnOptions>(options = {} as Options): BigintColumn & Options => ({
  type: 'bigint',
  transformer: {
    to: (value: bigint | null | undefined) => value?.toString(),
    from: (value: string | bigint | null) => (value === null ? null : BigInt(value)),
  },
  ...options,
});

/** A time with milliseconds, as the API shows it. */
export const timestampColumn = <Options extends ColumnOptions>(options = {} as Options): TimestampColumn & Options => ({
  type: 'timestamptz',
  precision: 3,
  ...options,
});

/** The time at which the database inserted the row. */
export const createdAtColumn = (options: ColumnOptions = {}): ColumnOptions =>
  timestampColumn({ default: () => 'now()', ...options });

/** The id that PostgreSQL gives each row. @param constraint the primary key's name. */
export const IdColumn = (type: 'integer' | 'bigint', constraint: string): PropertyDecorator =>
  PrimaryGeneratedColumn('identity', {
    ...(type === 'bigint' ? bigintColumn() : {}),
    type,
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: constraint,
  });
