import { Fragment, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import classes from './status.module.css';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';
type Mark = 'check' | 'cross' | 'alert' | 'question' | 'half' | 'dots' | 'bar';

/** The tone of each state, and a mark that shows the state without colour. */
const LOOKS: Readonly<Record<string, readonly [Tone, Mark]>> = {
  pending: ['quiet', 'dots'],
  queued: ['quiet', 'dots'],
  processing: ['busy', 'half'],
  sending: ['busy', 'half'],
  completed: ['good', 'check'],
  succeeded: ['good', 'check'],
  active: ['good', 'check'],
  failed: ['bad', 'cross'],
  unknown: ['warn', 'question'],
  review: ['warn', 'alert'],
  suspended: ['warn', 'alert'],
  well: ['good', 'check'],
  pausing: ['warn', 'half'],
  paused: ['warn', 'bar'],
  refusing: ['bad', 'cross'],
  locked: ['warn', 'alert'],
  invited: ['busy', 'half'],
  disabled: ['quiet', 'bar'],
  sandbox: ['quiet', 'bar'],
  withdrawn: ['quiet', 'bar'],
  low: ['warn', 'alert'],
  expired: ['quiet', 'bar'],
  revoked: ['bad', 'cross'],
  cancelled: ['quiet', 'bar'],
  deleted: ['quiet', 'bar'],
  failing: ['bad', 'cross'],
  in_order: ['good', 'check'],
  inactive: ['quiet', 'bar'],
  not_in_order: ['bad', 'cross'],
  interrupted: ['warn', 'alert'],
  running: ['busy', 'half'],
  offer_in_use: ['good', 'check'],
  offer_off: ['quiet', 'bar'],
  offer_ready: ['busy', 'dots'],
  product_off_sale: ['quiet', 'bar'],
  product_on_sale: ['good', 'check'],
  rate_fresh: ['good', 'check'],
  rate_stale: ['warn', 'alert'],
  approval_open: ['warn', 'half'],
  approval_approved: ['good', 'check'],
  approval_rejected: ['bad', 'cross'],
  approval_withdrawn: ['quiet', 'bar'],
  approval_expired: ['quiet', 'bar'],
  deposit_pending: ['quiet', 'dots'],
  deposit_paid: ['good', 'check'],
  deposit_expired: ['quiet', 'bar'],
  deposit_cancelled: ['quiet', 'bar'],
  payment_waiting: ['warn', 'half'],
  payment_case: ['bad', 'alert'],
  payment_booked: ['good', 'check'],
  payment_returned: ['quiet', 'bar'],
  payment_ignored: ['quiet', 'bar'],
  slip_booked: ['good', 'check'],
  slip_checking: ['busy', 'half'],
  slip_refused: ['bad', 'cross'],
  channel_active: ['good', 'check'],
  channel_inactive: ['quiet', 'bar'],
  channel_paused: ['warn', 'bar'],
  statement_old: ['warn', 'alert'],
  statement_refused: ['bad', 'cross'],
  unroutable: ['warn', 'alert'],
};

const MARKS: Readonly<Record<Mark, ReactNode>> = {
  check: <path d="m3 6.2 2.2 2.2L9.2 4" />,
  cross: <path d="m3.5 3.5 5 5m0-5-5 5" />,
  alert: <path d="M6 2.5v4.2M6 9v.01" />,
  question: <path d="M4.2 4.3C4.3 3 5 2.5 6 2.5c1.1 0 1.9.7 1.9 1.7C7.9 5.6 6 5.6 6 7m0 2.3v.01" />,
  half: <path d="M6 2.2a3.8 3.8 0 1 1-3.8 3.8" />,
  dots: <path d="M2.5 6v.01M6 6v.01M9.5 6v.01" />,
  bar: <path d="M3 6h6" />,
};

/** A state as a label with a mark. */
export function Status({ of }: { of: string }): ReactNode {
  const t = useT();
  const [tone, mark] = LOOKS[of] ?? ['quiet', 'dots'];
  return (
    <span className={classes.status} data-tone={tone}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {MARKS[mark]}
      </svg>
      {t.maybe(`status.${of}`) ?? of}
    </span>
  );
}

/** A code of the API with its meaning. */
export function Code({ of, short = false }: { of: string; short?: boolean }): ReactNode {
  const t = useT();
  const meaning = t.maybe(`failure.${of}`);
  return (
    <span className={classes.code} title={short ? meaning : undefined}>
      {!short && meaning && <span className={classes.meaning}>{meaning}</span>}
      <span className={classes.name} data-small={!short && meaning !== undefined}>
        {breakable(of)}
      </span>
    </span>
  );
}

/** Lets a long code break after an underscore in a narrow column. */
const breakable = (code: string): ReactNode =>
  code.split(/(?<=_)/).map((part, index) => (
    <Fragment key={part}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
