import type { ReactNode } from 'react';
import { useWords, type Translate } from '../../i18n/words';
import { formatDuration } from '../../i18n/moments';
import { Amount } from '../../kit/amount';
import { CallIcon, CheckIcon, EventIcon, MoneyIcon, NoteIcon, PersonIcon, StateIcon } from '../../kit/icons';
import { Status } from '../../kit/status';
import type { EntryView } from './order-view';
import classes from './timeline-entry.module.css';

/** By how the kind of an entry begins; what operators did has the name of their action. */
const ICONS: readonly (readonly [RegExp, () => ReactNode])[] = [
  [/^order\.note$/, NoteIcon],
  [/^order\.(resolve|cancel)$/, PersonIcon],
  [/^order\./, CheckIcon],
  [/^money\./, MoneyIcon],
  [/^supplier\./, CallIcon],
  [/^(event|webhook)\./, EventIcon],
];

export function EntryIcon({ entry: { kind, operator } }: { entry: EntryView }): ReactNode {
  const Icon = ICONS.find(([pattern]) => pattern.test(kind))?.[1] ?? (operator ? PersonIcon : StateIcon);
  return <Icon />;
}

/** What happened in a line, and below it what belongs to it: how long it took, which process, who and why. */
export function EntryText({ entry }: { entry: EntryView }): ReactNode {
  const { t, language } = useWords();
  const { outcome, amount, duration_ms, process, operator, reason, detail } = entry;
  const duration = duration_ms === undefined ? undefined : formatDuration(duration_ms, language);
  const asides = [operator, duration, detail, process].filter((aside) => aside !== undefined);
  return (
    <>
      <span className={classes.text}>
        {titleOf(entry, t)}
        {amount && <Amount value={amount} />}
        {outcome && <Status of={outcome} />}
      </span>
      {asides.length > 0 && <p className={classes.aside}>{asides.join(' · ')}</p>}
      {reason && <p className={classes.reason}>{reason}</p>}
    </>
  );
}

/** What has no words of its own is shown by its name. */
function titleOf({ kind, supplier = '' }: EntryView, t: Translate): string {
  const isAny = kind.startsWith('event.') ? 'event' : kind;
  return t.maybe(`story.${isAny}`, { supplier, event: kind.slice('event.'.length) }) ?? kind;
}
