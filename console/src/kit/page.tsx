import { useEffect, type ReactNode } from 'react';
import classes from './page.module.css';

interface PageProps {
  /** The title of the browser tab. */
  title: string;
  heading?: ReactNode;
  /** Shown beside the heading, such as a state. */
  beside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page within the shell, with heading, actions and content. */
export function Page({ title, heading = title, beside, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Order Top-up`;
  }, [title]);
  return (
    <>
      <header className={classes.header}>
        <div className={classes.heading}>
          <h1>{heading}</h1>
          {beside}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
