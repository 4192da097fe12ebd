import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDuration } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import type { components } from '../../schema';
import { useSuppliers } from './figures-now';
import { MIN_DEPOSIT_HOURS } from './needs';
import classes from './home.module.css';

type Supplier = components['schemas']['ListedSupplierDto'];

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** The money at each supplier, the time for which it lasts, and the supplier's state. */
export function SupplierMoney(): ReactNode {
  const t = useT();
  return (
    <Section title={t('home.supplierMoney')} actions={<Link to="/suppliers">{t('home.all')}</Link>}>
      <Answered query={useSuppliers()} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{t('home.noSuppliers')}</p>
          ) : (
            <ul className={classes.suppliers}>
              {data.map((supplier) => (
                <li key={supplier.code}>
                  <Line {...supplier} />
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}

function Line({ code, state, balance, balance_lasts_hours: hours }: Supplier): ReactNode {
  const t = useT();
  const { language } = useWords();
  const isLow = balance?.low === true || (hours !== null && hours < MIN_DEPOSIT_HOURS);
  // From two days on, the time is shown in whole days.
  const rounded = hours === null || hours < 2 * DAY_HOURS ? hours : Math.floor(hours / DAY_HOURS) * DAY_HOURS;
  return (
    <Link to="/suppliers/$code" params={{ code }} search={{}} className={classes.supplier}>
      <span className={classes.code}>{code}</span>
      <span>{balance ? <Amount value={balance.amount} currency={balance.currency} /> : '—'}</span>
      <Status of={state} />
      <span className={classes.lasts} data-low={isLow}>
        {rounded === null
          ? t(balance ? 'home.lastsUnknown' : 'home.noBalance')
          : t('home.lasts', { duration: formatDuration(rounded * HOUR_MS, language) })}
      </span>
    </Link>
  );
}
