import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Status } from '../../kit/status';
import { useMay } from '../../session';
import type { WalletView } from './merchant-view';
import classes from './balances.module.css';

/** The merchant's balances, and the balance below which it gets an alert. */
export function Balances({ wallet, onAlert }: { wallet: WalletView; onAlert: () => void }): ReactNode {
  const t = useT();
  const maySet = useMay('alerts.set');
  return (
    <dl className={classes.balances}>
      <div className={classes.balance} data-low={wallet.is_low}>
        <dt>
          {t('wallet.available')} {wallet.is_low && <Status of="low" />}
        </dt>
        <dd className={classes.amount}>
          <Amount value={wallet.available_amount} />
        </dd>
      </div>
      <div className={classes.balance}>
        <dt>{t('wallet.held')}</dt>
        <dd className={classes.amount}>
          <Amount value={wallet.held_amount} />
        </dd>
      </div>
      <div className={classes.balance}>
        <dt>{t('wallet.alert')}</dt>
        <dd className={classes.amount}>
          {wallet.alert_below === null ? (
            <span className="muted">{t('alert.none')}</span>
          ) : (
            <Amount value={wallet.alert_below} />
          )}
          {maySet && (
            <Button size="compact-xs" variant="default" onClick={onAlert}>
              {t(wallet.alert_below === null ? 'alert.set' : 'alert.change')}
            </Button>
          )}
        </dd>
      </div>
    </dl>
  );
}
