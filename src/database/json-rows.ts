type Kind<Value> = NonNullable<Value> extends bigint ? 'bigint' : NonNullable<Value> extends Date ? 'moment' : never;

/** The columns that JSON has no type for. */
type Kinds<Row> = { [Column in keyof Row as Kind<Row[Column]> extends never ? never : Column]: Kind<Row[Column]> };

/** Selects rows as one JSON value, so that one statement can select rows of several tables. */
export class JsonRows<Row extends object> {
  private readonly kinds: [column: string, kind: 'bigint' | 'moment'][];

  constructor(kinds: Kinds<Row>) {
    this.kinds = Object.entries(kinds);
  }

  /** The SQL expression for the rows of `query`. 64-bit integers become text, because JSON.parse would round them. */
  of(query: string): string {
    const asText = this.kinds.flatMap(([column, kind]) =>
      kind === 'bigint' ? [`'${column}', r.${column}::text`] : [],
    );
    return `(SELECT coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object(${asText.join(', ')})), '[]') FROM (${query}) r)`;
  }

  /** Restores bigints and dates. @param rows the expression's value, as the driver returns it. */
  read(rows: readonly object[]): Row[] {
    return rows.map((row) => {
      const known = row as Record<string, string | null>;
      const restored = this.kinds.map(([column, kind]) => {
        const text = known[column] ?? null;
        return [column, text === null ? null : kind === 'bigint' ? BigInt(text) : new Date(text)] as const;
      });
      return { ...row, ...Object.fromEntries(restored) } as Row;
    });
  }
}
