import type { ReactNode } from 'react';
import { Amount } from '../../kit/amount';
import classes from './margin.module.css';

/** The margin of a price. A negative one is red and has a sign. */
export function Margin({ value }: { value: string }): ReactNode {
  return (
    <span className={value.startsWith('-') ? classes.low : undefined}>
      <Amount value={value} currency={null} />
    </span>
  );
}

/** Stands where a cost or margin is missing, and says why. */
export const Missing = ({ why }: { why: string }): ReactNode => <span className={classes.missing}>{why}</span>;
