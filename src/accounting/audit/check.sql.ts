/** Numbers that a check adds up, by name. */
export type Figures = Record<string, bigint>;

/** How many rows break a rule, an example in words, and numbers to show. */
export interface Findings {
  wrong: bigint;
  example: string | null;
  figures: Figures;
}

/** One rule of the books. */
export interface Check {
  name: string;
  /** Puts the numbers into words. */
  describe: (figures: Figures) => string;
}

/** A rule about rows. */
export interface RowCheck extends Check {
  /** SQL condition: the rows to which the rule applies. Without it, the rule applies to all rows. */
  of?: string;
  /** SQL condition: the rows that break the rule. For each row, it must be true or false, never null. */
  wrong: string;
  /** SQL expression: the words that name a row which breaks the rule. */
  example: string;
  /** SQL aggregates over the rows to which the rule applies, by name. With `of`, {@link compare} adds a filter to each. */
  figures?: Record<string, string>;
}

/** Writes the condition that selects the orders to check. `orderId`: the column with an order's id. */
export type Among = (orderId: string) => string;

/** A rule about orders, or about rows of orders such as units. */
export interface OrderCheck extends RowCheck {
  /** The rows of the rule. Rules with the same function share a statement. */
  rows: (among: Among) => string;
}

/** A rule whose rows one statement reads: the present state, or a range of ids. */
export interface MomentCheck extends RowCheck {
  rows: string;
}

/** Builds the statement that compares rows with rules. {@link findingsOf} reads its one row. */
export function compare(rows: string, checks: readonly RowCheck[]): string {
  const columns = checks.flatMap(({ name, of, wrong, example, figures = {} }) => {
    const filter = of === undefined ? '' : ` FILTER (WHERE ${of})`;
    const isWrong = `FILTER (WHERE ${of === undefined ? '' : `(${of}) AND `}(${wrong}))`;
    return [
      `count(*) ${isWrong} AS "${name}.wrong"`,
      `min(${example}) ${isWrong} AS "${name}.example"`,
      // A sum of bigints is numeric, which the driver would return as text.
      ...Object.entries({ checked: 'count(*)', ...figures }).map(
        ([figure, aggregate]) => `coalesce(${aggregate}${filter}, 0)::bigint AS "${name}.${figure}"`,
      ),
    ];
  });
  return `WITH compared AS (${rows}) SELECT ${columns.join(', ')} FROM compared`;
}

export type Compared = Record<string, bigint | string | null>;

/** Reads the findings of one check from the result of {@link compare}. */
export function findingsOf(row: Compared, { name, figures = {} }: RowCheck): Findings {
  const of = (member: string): bigint => row[`${name}.${member}`] as bigint;
  return {
    wrong: of('wrong'),
    example: row[`${name}.example`] as string | null,
    figures: Object.fromEntries(['checked', ...Object.keys(figures)].map((figure) => [figure, of(figure)])),
  };
}

/** SQL that writes satang as baht. */
export const baht = (satang: string): string => `to_char((${satang}) / 100.0, 'FM99999999999999990.00')`;
