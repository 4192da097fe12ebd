import type { ReactNode } from 'react';
import classes from './figures.module.css';

interface Figure {
  name: string;
  value: ReactNode;
  tone?: 'good' | 'bad' | undefined;
}

/** A row of important numbers. */
export function Figures({ figures }: { figures: readonly Figure[] }): ReactNode {
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, tone }) => (
        <div key={name} className={classes.figure} data-tone={tone}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
