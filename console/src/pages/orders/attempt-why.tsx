import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Code } from '../../kit/status';
import type { EntryView } from './order-view';
import classes from './timeline-entry.module.css';

/** Why an attempt used its offer: how the previous attempt failed, and which offers routing skipped. */
export function AttemptWhy({ entry }: { entry: EntryView }): ReactNode {
  const t = useT();
  const { attempt = 1, after, passed_over: others = [] } = entry;
  if (after === undefined && others.length === 0) return null;
  return (
    <ul className={classes.why}>
      {after && (
        <li>
          {t(after.outcome === 'failed' ? 'story.after.failed' : 'story.after.withdrawn', {
            number: attempt - 1,
          })}{' '}
          {after.failure_code !== undefined && <Code of={after.failure_code} short />}
        </li>
      )}
      {others.map(({ supplier, supplier_sku, why }) => (
        <li key={`${supplier} ${supplier_sku}`}>
          {t('story.passedOver')} {supplier} <span className="mono">{supplier_sku}</span>:{' '}
          {t.maybe(`why.${why}`) ?? why}
        </li>
      ))}
    </ul>
  );
}
