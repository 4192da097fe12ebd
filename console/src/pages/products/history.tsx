import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Answered } from '../../kit/states';
import { actionInWords } from '../log/actions';
import classes from './history.module.css';
import { MemberChanges } from './member-changes';

/** What operators changed about a product, newest first. */
export function History({ sku }: { sku: string }): ReactNode {
  const t = useT();
  const query = usePolled({
    queryKey: ['product', sku, 'history'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/products/{sku}/history', { params: { path: { sku } }, signal })),
    every: EVERY.rest,
  });
  return (
    <Answered query={query} rows={3}>
      {({ data, own_only: isOwnOnly }) => (
        <>
          {isOwnOnly && <p className={classes.own}>{t('productHistory.ownOnly')}</p>}
          {data.length === 0 && <p className="muted">{t('productHistory.none')}</p>}
          <ol className={classes.entries}>
            {data.map((entry) => (
              <li key={`${entry.id} ${String(entry.merchant_id)}`} className={classes.entry}>
                <div className={classes.head}>
                  <span className={classes.action}>{actionInWords(entry.action, t)}</span>
                  <span className={classes.about}>
                    {[entry.supplier, entry.file].filter(Boolean).join(' · ')}
                    {entry.merchant_id !== null && ` ${t('merchant.title', { id: String(entry.merchant_id) })}`}
                  </span>
                  <span className={classes.at}>
                    {entry.operator} · <Moment at={entry.at} form="short" zoned={false} />
                  </span>
                </div>
                {entry.changes.length > 0 && <MemberChanges changes={entry.changes} />}
                {entry.reason !== null && <p className={classes.reason}>“{entry.reason}”</p>}
              </li>
            ))}
          </ol>
        </>
      )}
    </Answered>
  );
}
