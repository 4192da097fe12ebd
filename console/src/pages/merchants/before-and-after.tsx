import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { formatAmount, writeAmount } from '../../kit/amount';
import classes from './move-money.module.css';

/** The available balance now and after the movement. @param after null while it is unknown. */
export function BeforeAndAfter({ before, after }: { before: string; after: bigint | null }): ReactNode {
  const t = useT();
  return (
    <dl className={classes.figures} aria-live="polite">
      <div>
        <dt>{t('move.before')}</dt>
        <dd className="number">{formatAmount(before)} THB</dd>
      </div>
      <div className={classes.after}>
        <dt>{t('move.after')}</dt>
        <dd className="number">{after === null || after < 0n ? '—' : `${formatAmount(writeAmount(after))} THB`}</dd>
      </div>
    </dl>
  );
}
