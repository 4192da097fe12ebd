import type { ReactNode } from 'react';
import classes from './badge.module.css';

/** What something is, in a word beside its name. */
export function Badge({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.badge}>{children}</span>;
}
