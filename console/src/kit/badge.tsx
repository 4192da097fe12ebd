import type { ReactNode } from 'react';
import classes from './badge.module.css';

/** A label beside a name. */
export function Badge({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.badge}>{children}</span>;
}
