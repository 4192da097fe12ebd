import type { ReactNode } from 'react';
import classes from './report.module.css';

/** A box for content wider than the page. It scrolls, also by keyboard. @param label names it for screen readers. */
export const Wide = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={classes.wide} role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
);
