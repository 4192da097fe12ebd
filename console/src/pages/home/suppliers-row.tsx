import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT, type Translate } from '../../i18n/words';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import type { components } from '../../schema';
import { useWaitingForMe } from '../approvals/approval-view';
import { useNow, useSuppliers } from './figures-now';
import classes from './home.module.css';

type Supplier = components['schemas']['ListedSupplierDto'];

/** Suppliers as a row of states. */
export function SuppliersRow(): ReactNode {
  const t = useT();
  return (
    <Section title={t('home.suppliers')} actions={<Link to="/suppliers">{t('home.all')}</Link>}>
      <Answered query={useSuppliers()} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{t('home.noSuppliers')}</p>
          ) : (
            <ul className={classes.suppliers}>
              {data.map(({ code, state }) => (
                <li key={code}>
                  <Link to="/suppliers/$code" params={{ code }} search={{}} className={classes.supplier}>
                    {code} <Status of={state} />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}

interface Need {
  text: string;
  link?: LinkProps;
}

/** What waits for a person. */
export function NeedsYou(): ReactNode {
  const t = useT();
  const { data: now } = useNow();
  const { data: suppliers } = useSuppliers();
  const waiting = useWaitingForMe();
  const needs: Need[] = [
    ...counted(waiting, (count) => ({
      text: t('home.needsApproval', { count }),
      link: { to: '/approvals', search: { status: 'open' } },
    })),
    ...counted(now?.units_review, (count) => ({
      text: t('home.needsReview', { count }),
      link: { to: '/review', search: { state: 'review' } },
    })),
    ...(suppliers?.data ?? []).flatMap((supplier) => needsOf(supplier, t)),
    ...counted(now?.supplier_reversals_open, (count) => ({
      text: t('home.needsReversals', { count }),
      link: { to: '/reversals', search: { open: 'true' } },
    })),
    ...counted(now?.wallets_below_alert, (count) => ({ text: t('home.needsWallets', { count }) })),
  ];
  return (
    <Section title={t('home.needs')}>
      {needs.length === 0 && now !== undefined && <p className="muted">{t('home.needsNothing')}</p>}
      <ul className={classes.needs}>
        {needs.map(({ text, link }) => (
          <li key={text}>{link ? <Link {...link}>{text}</Link> : text}</li>
        ))}
      </ul>
    </Section>
  );
}

const counted = (count: number | null | undefined, make: (count: number) => Need): Need[] =>
  count ? [make(count)] : [];

function needsOf({ code, state, pause, balance }: Supplier, t: Translate): Need[] {
  const link: LinkProps = { to: '/suppliers/$code', params: { code }, search: {} };
  const supplier = { supplier: code };
  if (state === 'refusing') return [{ text: t('home.supplierRefuses', supplier), link }];
  const reason = pause && (pause.detail ?? t.maybe(`status.${pause.reason}`) ?? pause.reason);
  return [
    ...(reason === null ? [] : [{ text: t('home.supplierPaused', { ...supplier, reason }), link }]),
    ...(balance?.low ? [{ text: t('home.balanceLow', supplier), link }] : []),
  ];
}
