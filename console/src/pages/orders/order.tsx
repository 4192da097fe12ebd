import { Button } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Copy, CopyText } from '../../kit/copy';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Page, Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { Timeline } from '../../kit/timeline';
import { useMay } from '../../session';
import { CancelOrder } from './cancel-order';
import { Items } from './items';
import { NoteForm } from './note-form';
import { OrderFacts, OrderMoney } from './order-facts';
import { isOpen, type OrderView } from './order-view';
import { Resolve } from './resolve';
import { MAX_UNITS } from '../review/selection';
import { ResolveMany } from '../review/resolve-many';
import { ticketText } from './ticket-text';
import { EntryIcon, EntryText } from './timeline-entry';
import classes from './order.module.css';

/** One order with its items, money, facts and history. */
export function Order(): ReactNode {
  const t = useT();
  const { number } = useParams({ from: '/shell/orders/$number' });
  const query = usePolled({
    queryKey: ['order', number],
    queryFn: ({ signal }) => ask(() => client.GET('/api/orders/{number}', { params: { path: { number } }, signal })),
    every: (order) => (order && !isOpen(order) ? EVERY.rest : EVERY.openOrder),
  });
  const order = query.data;
  return (
    <Page
      title={number}
      heading={<span className="mono">{number}</span>}
      beside={
        <>
          <Copy value={number} what={t('order.number')} shortcut="c" />
          {order && <Status of={order.status} />}
          {order?.sandbox && <Status of="sandbox" />}
        </>
      }
      actions={order && <Actions order={order} />}
    >
      <Answered query={query} rows={10}>
        {(loaded) => <OrderContent order={loaded} />}
      </Answered>
    </Page>
  );
}

function Actions({ order }: { order: OrderView }): ReactNode {
  const t = useT();
  const mayCancel = useMay('orders.cancel');
  const [isCancelling, setCancelling] = useState(false);
  return (
    <>
      {isOpen(order) && <LiveButton />}
      <CopyText value={() => ticketText(order, t)}>{t('order.copyForTicket')}</CopyText>
      {mayCancel && isOpen(order) && (
        <Button size="xs" variant="default" onClick={() => setCancelling(true)}>
          {t('cancel.open')}
        </Button>
      )}
      {isCancelling && <CancelOrder order={order} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** One decision for all units in doubt, when there are several. */
function DecideTogether({ order }: { order: OrderView }): ReactNode {
  const t = useT();
  const mayResolve = useMay('orders.resolve');
  const [isOpen, setOpen] = useState(false);
  const { order_number } = order;
  const inDoubt = order.units.filter(({ can_resolve }) => can_resolve).slice(0, MAX_UNITS);
  if (!isOpen && (!mayResolve || inDoubt.length < 2)) return null;
  return (
    <>
      <Button size="xs" variant="default" className={classes.together} onClick={() => setOpen(true)}>
        {t('resolveMany.openOrder', { count: inDoubt.length })}
      </Button>
      {isOpen && (
        <ResolveMany
          units={inDoubt.map(({ unit, supplier, attempts, price }) => ({
            order_number,
            unit,
            supplier,
            attempt: attempts.at(-1)?.number ?? 1,
            amount: price,
          }))}
          onClose={() => setOpen(false)}
          onResolved={() => setOpen(false)}
        />
      )}
    </>
  );
}

function OrderContent({ order }: { order: OrderView }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { timeline, only, resolve } = useSearch({ from: '/shell/orders/$number' });
  const mayNote = useMay('orders.note');
  const setSearch = (search: { timeline?: 'units'; only?: 'failures'; resolve?: string }): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <div className={classes.columns}>
      <div>
        <Section title={t('order.items')}>
          <DecideTogether order={order} />
          <Items order={order} onResolve={(unit) => setSearch({ resolve: unit })} />
        </Section>
        <Section title={t('timeline.title')}>
          {mayNote && <NoteForm number={order.order_number} />}
          <Timeline
            entries={order.timeline}
            render={(entry, times) => <EntryText entry={entry} times={times} />}
            iconOf={(entry) => <EntryIcon entry={entry} />}
            isGrouped={timeline === 'units'}
            isBadOnly={only === 'failures'}
            onView={({ isGrouped, isBadOnly }) =>
              setSearch({
                timeline: isGrouped ? 'units' : undefined,
                only: isBadOnly ? 'failures' : undefined,
              })
            }
          />
        </Section>
      </div>
      <aside className={classes.facts}>
        <Section title={t('order.facts')}>
          <OrderFacts order={order} />
        </Section>
        <Section title={t('order.money')}>
          <OrderMoney order={order} />
        </Section>
      </aside>
      {resolve !== undefined && (
        <Resolve key={resolve} order={order} unitName={resolve} onClose={() => setSearch({ resolve: undefined })} />
      )}
    </div>
  );
}
