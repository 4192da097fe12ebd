/** What a rule's statement counted, by name. */
export type Figures = Record<string, bigint>;

/** How many rows break a rule, one of them in words, and figures to show. */
export interface Findings {
  wrong: bigint;
  example: string | null;
  figures: Figures;
}

/** One rule of the books. */
export interface Check {
  name: string;
  /** The figures in words. */
  describe: (figures: Figures) => string;
}

/** A rule about rows. */
export interface RowCheck extends Check {
  /** Which of the rows the rule is about; all, unless given. */
  of?: string;
  /** What makes a row break it: never null. */
  wrong: string;
  /** How to name a row. */
  example: string;
  /** Aggregates over the rows that it is about, by name; beside `of` without a filter of their own. */
  figures?: Record<string, string>;
}

/** SQL that a column with the id of an order must fulfil. */
export type Among = (orderId: string) => string;

/** A rule about what belongs to one order. */
export interface OrderCheck extends RowCheck {
  /** The rows that the rule is about. Rules with the same rows are checked by one statement. */
  rows: (among: Among) => string;
}

/** A rule about what there is at one moment. */
export interface MomentCheck extends RowCheck {
  rows: string;
}

/** The statement that compares rows with rules; {@link findingsOf} reads its one row. */
export function compare(rows: string, checks: readonly RowCheck[]): string {
  const columns = checks.flatMap(({ name, of, wrong, example, figures = {} }) => {
    const filter = of === undefined ? '' : ` FILTER (WHERE ${of})`;
    const isWrong = `FILTER (WHERE ${of === undefined ? '' : `(${of}) AND `}(${wrong}))`;
    return [
      `count(*) ${isWrong} AS "${name}.wrong"`,
      `min(${example}) ${isWrong} AS "${name}.example"`,
      // Sums of 64-bit integers are numeric, which would arrive as text.
      ...Object.entries({ checked: 'count(*)', ...figures }).map(
        ([figure, aggregate]) => `coalesce(${aggregate}${filter}, 0)::bigint AS "${name}.${figure}"`,
      ),
    ];
  });
  return `WITH compared AS (${rows}) SELECT ${columns.join(', ')} FROM compared`;
}

export type Compared = Record<string, bigint | string | null>;

/** What the answer to {@link compare} says of one of its checks. */
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
