import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import classes from './member-changes.module.css';
import { memberName, memberValue, type MemberChange } from './product-view';

/** Changed members with old and new values. */
export function MemberChanges({
  title,
  changes,
  none,
}: {
  title?: string;
  changes: readonly MemberChange[];
  /** The text for an empty list. */
  none?: string;
}): ReactNode {
  return (
    <div className={title === undefined ? undefined : classes.box}>
      {title !== undefined && <p className={classes.title}>{title}</p>}
      <ul className={classes.changes} aria-live={title === undefined ? undefined : 'polite'}>
        {changes.length === 0 && none !== undefined && <li className="muted">{none}</li>}
        {changes.map((change) => (
          <li key={change.member}>
            <Change {...change} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Change({ member, old, new: now }: MemberChange): ReactNode {
  const t = useT();
  return (
    <>
      <span className={classes.member}>{memberName(member, t)}: </span>
      {old !== null && <del className={classes.old}>{memberValue(member, old, t)}</del>}
      {old !== null && now !== null && ' → '}
      {now !== null && <ins className={classes.new}>{memberValue(member, now, t)}</ins>}
    </>
  );
}
