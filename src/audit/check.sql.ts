/** What a check's statement answers: how many rows break the rule, one of them in words, and figures to show. */
export type Findings = { wrong: bigint; example: string | null } & Record<string, bigint>;

/** One rule of the books. */
export interface Check {
  name: string;
  sql: string;
  /** The figures in words. */
  describe: (findings: Findings) => string;
}

interface Comparison {
  /** The rows that the rule is about. */
  rows: string;
  /** What makes a row break it: never null. */
  wrong: string;
  /** How to name a row. */
  example: string;
  /** Aggregates over all rows, by name. */
  figures?: Record<string, string>;
}

/** The statement that compares rows with a rule, and answers with {@link Findings}. */
export function compare({ rows, wrong, example, figures = {} }: Comparison): string {
  // Sums of 64-bit integers are numeric, which would arrive as text.
  const columns = Object.entries({ checked: 'count(*)', ...figures })
    .map(([name, aggregate]) => `, coalesce(${aggregate}, 0)::bigint AS ${name}`)
    .join('');
  return `WITH compared AS (${rows})
    SELECT count(*) FILTER (WHERE ${wrong}) AS wrong, min(${example}) FILTER (WHERE ${wrong}) AS example ${columns}
    FROM compared`;
}

/** SQL that writes satang as baht. */
export const baht = (satang: string): string => `to_char((${satang}) / 100.0, 'FM99999999999999990.00')`;
