import type { ReactNode } from 'react';
import classes from './settings-form.module.css';

/** The fields of a form for settings, one below the other. */
export const SettingsForm = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={classes.form}>{children}</div>
);

/** Two short fields side by side. On a phone, one below the other. */
export const Pairs = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={classes.pair}>{children}</div>
);

/** A setting that the operator has changed in the form. */
interface Change {
  /** Its name in the API. */
  name: string;
  /** Its name in words, if it has one. */
  label: string | undefined;
  /** Without an old value, `next` says what happens. */
  old?: string;
  next: string;
}

/** What a form changes, before the operator saves it. @param none what to say when it changes nothing. */
export function Changes({
  title,
  none,
  changes,
}: {
  title: string;
  none: string;
  changes: readonly Change[];
}): ReactNode {
  return (
    <div className={classes.changes} aria-live="polite">
      <p>{title}</p>
      <ul>
        {changes.length === 0 && <li className="muted">{none}</li>}
        {changes.map(({ name, label, old, next }) => (
          <li key={name}>
            {label ?? <span className="mono">{name}</span>}:{' '}
            {old !== undefined && (
              <>
                <del className="muted">{old || '–'}</del> →{' '}
              </>
            )}
            <ins>{next || '–'}</ins>
          </li>
        ))}
      </ul>
    </div>
  );
}
