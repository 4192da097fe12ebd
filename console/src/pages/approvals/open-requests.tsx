import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Ago } from '../../kit/moment';
import { useOpenRequests } from './approval-view';
import classes from './approvals.module.css';
import { Decide, Movement, useDecision } from './decide';

const SHOWN = 3;

/** The open requests of one merchant. */
export function OpenRequests({ merchant }: { merchant: number }): ReactNode {
  const t = useT();
  const { data = [] } = useOpenRequests(merchant);
  const [decide, dialog] = useDecision();
  return (
    <>
      {data.length > 0 && (
        <section className={classes.waiting} aria-label={t('approvals.waiting')}>
          <h2>{t('approvals.waiting')}</h2>
          <ul>
            {data.slice(0, SHOWN).map((approval) => (
              <li key={approval.id}>
                <span className={classes.what}>
                  <Movement approval={approval} /> <span>{approval.reference}</span>
                  <span className={classes.who}>
                    {approval.requested_by} · <Ago at={approval.created_at} /> · {approval.reason}
                  </span>
                </span>
                <Decide approval={approval} onDecide={decide} />
              </li>
            ))}
          </ul>
          {data.length > SHOWN && (
            <p className={classes.all}>
              <Link to="/approvals" search={{ status: 'open', merchant: String(merchant) }}>
                {t('approvals.all', { count: data.length })}
              </Link>
            </p>
          )}
        </section>
      )}
      {dialog}
    </>
  );
}
