import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import { Age, Moment } from '../../kit/moment';
import { Facts } from '../../kit/page';
import { Code } from '../../kit/status';
import { MerchantLink } from '../merchants/merchant-link';
import type { OrderView } from './order-view';
import classes from './order-facts.module.css';

export function OrderFacts({ order }: { order: OrderView }): ReactNode {
  const t = useT();
  const { merchant, metadata } = order;
  return (
    <Facts
      facts={[
        [t('order.merchant'), <MerchantLink key="merchant" merchant={merchant} />],
        [t('order.reference'), <Copied key="reference" value={order.reference_id} what={t('order.reference')} />],
        [t('order.player'), <Copied key="player" value={order.user_id} what={t('order.player')} />],
        order.server_id ? [t('order.server'), order.server_id] : null,
        order.character_id ? [t('order.character'), order.character_id] : null,
        [t('order.created'), <Moment key="created" at={order.created_at} />],
        [
          t(order.ended_at ? 'order.ended' : 'order.openFor'),
          order.ended_at ? <Moment key="ended" at={order.ended_at} /> : <Age key="age" from={order.created_at} />,
        ],
        order.ended_at ? [t('order.took'), <Age key="took" from={order.created_at} to={order.ended_at} />] : null,
        order.failure_code
          ? [
              t('order.failure'),
              <div key="failure">
                <Code of={order.failure_code} />
                {order.failure_message && <p className={classes.message}>“{order.failure_message}”</p>}
              </div>,
            ]
          : null,
        // The merchant chose the names, so none may pass for one of ours.
        ...Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value] satisfies [string, ReactNode]),
      ]}
    />
  );
}

function Copied({ value, what }: { value: string; what: string }): ReactNode {
  return (
    <span className={classes.copied}>
      {value}
      <Copy value={value} what={what} />
    </span>
  );
}

/** How much of the order's money is held, spent and returned. */
export function OrderMoney({ order: { total_amount, money } }: { order: OrderView }): ReactNode {
  const t = useT();
  const lines = [
    ['money.held', money.held],
    ['money.spent', money.spent],
    ['money.returned', money.returned],
  ] as const;
  return (
    <dl className={classes.money}>
      {lines.map(([name, amount]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>
            <Amount value={amount} />
          </dd>
        </div>
      ))}
      <div className={classes.total}>
        <dt>{t('money.total')}</dt>
        <dd>
          <Amount value={total_amount} />
        </dd>
      </div>
    </dl>
  );
}
