import type { Statement } from './transaction.js';

interface TypeScriptTypes {
  int: number;
  smallint: number;
  bigint: bigint;
  boolean: boolean;
  text: string;
  bytea: Buffer;
  timestamptz: Date;
  'text[]': string[];
  'bytea[]': Buffer[];
  'int[]': number[];
}
type SqlType = keyof TypeScriptTypes;
/** A type of PostgreSQL. With a question mark, values may be null. */
type Nullable<Type extends SqlType> = Type | `${Type}?`;
type ColumnType = Nullable<Exclude<SqlType, `${string}[]`>>;

type ValueOf<Type extends string> = Type extends `${infer Base extends SqlType}?`
  ? TypeScriptTypes[Base] | null
  : Type extends SqlType
    ? TypeScriptTypes[Type]
    : never;

/** The columns of rows that a statement takes, by name with their types. */
class Columns<Types extends Record<string, ColumnType>> {
  constructor(readonly types: Types) {}
}

/** A parameter of {@link statement} that takes any number of rows. */
export const rowsOf = <const Types extends Record<string, ColumnType>>(types: Types): Columns<Types> =>
  new Columns(types);

type Parameters = Record<string, Nullable<SqlType> | Columns<Record<string, ColumnType>>>;

type InputOf<Given extends Parameters> = {
  [Name in keyof Given]: Given[Name] extends Columns<infer Types>
    ? readonly { readonly [Column in keyof Types]: ValueOf<Types[Column]> }[]
    : Given[Name] extends string
      ? ValueOf<Given[Name]>
      : never;
};

/** How the text of a statement refers to its parameter of rows. */
export interface RowsInText {
  /** `unnest($1::int[], $2::text[])` */
  unnest: string;
  /** `merchant_id, sku` */
  names: string;
  /** `unnest($1::int[], $2::text[]) AS alias(merchant_id, sku)` */
  as(alias: string): string;
  /** Like {@link as}, but WITH ORDINALITY, which adds a column with the row's number, from 1. */
  numbered(alias: string, number: string): string;
}

type InText<Given extends Parameters> = {
  [Name in keyof Given]: Given[Name] extends string ? string : RowsInText;
};

/** A statement that knows its parameters: text and values come from one list, so no value reaches the wrong parameter. */
export interface ParameterizedStatement<Given extends Parameters> extends Statement {
  /** Returns the arguments for {@link Queryable.query} and {@link Transaction.write}. */
  with(input: InputOf<Given>): [statement: Statement, values: unknown[]];
}

/**
 * @param parameters by name: a type of PostgreSQL, or {@link rowsOf} columns.
 * @param text makes the SQL. It gets the reference to each parameter: `$3::text`, or {@link RowsInText} for rows.
 */
export function statement<const Given extends Parameters>(
  name: string,
  parameters: Given,
  text: (parameters: InText<Given>) => string,
): ParameterizedStatement<Given> {
  let count = 0;
  const next = (type: string): string => `$${++count}::${type.replace('?', '')}`;
  const inText = Object.entries(parameters).map(([parameter, type]) => [
    parameter,
    typeof type === 'string' ? next(type) : rowsInText(type.types, (column) => next(`${column.replace('?', '')}[]`)),
  ]);
  const made: Statement = { name, text: text(Object.fromEntries(inText) as InText<Given>) };
  return { ...made, with: (input) => [made, valuesOf(parameters, input)] };
}

function rowsInText(types: Record<string, ColumnType>, next: (type: ColumnType) => string): RowsInText {
  const names = Object.keys(types).join(', ');
  const unnest = `unnest(${Object.values(types).map(next).join(', ')})`;
  return {
    unnest,
    names,
    as: (alias) => `${unnest} AS ${alias}(${names})`,
    numbered: (alias, number) => `${unnest} WITH ORDINALITY AS ${alias}(${names}, ${number})`,
  };
}

function valuesOf<Given extends Parameters>(parameters: Given, input: InputOf<Given>): unknown[] {
  const values: unknown[] = [];
  for (const [name, type] of Object.entries(parameters)) {
    const value = input[name] as unknown;
    if (typeof type === 'string') values.push(value);
    else for (const column of Object.keys(type.types)) values.push((value as Row[]).map((row) => row[column]));
  }
  return values;
}

type Row = Record<string, unknown>;
