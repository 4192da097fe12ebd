import type { ReactNode } from 'react';
import classes from './report.module.css';

/** Says that all is in order, or lists the differences in red. */
export function Differences({ good, bad, lines }: { good: string; bad: string; lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return <p className={classes.good}>{good}</p>;
  return (
    <div className={classes.bad} role="alert">
      <strong>{bad}</strong>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

/** A number that should be zero. Any other value is red. */
export function ErrorCount({ count }: { count: number }): ReactNode {
  return <span className={count === 0 ? 'number' : `number ${classes.wrong}`}>{count}</span>;
}
