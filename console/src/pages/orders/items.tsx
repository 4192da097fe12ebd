import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import { DownIcon } from '../../kit/icons';
import { Code, Status } from '../../kit/status';
import { useMay } from '../../session';
import { unitsOf, type ItemView, type OrderView, type UnitView } from './order-view';
import { RevealCode } from './reveal-code';
import classes from './items.module.css';

interface ItemsProps {
  order: OrderView;
  onResolve: (unit: string) => void;
}

/** The items with their units, and the attempts of each unit. */
export function Items({ order, onResolve }: ItemsProps): ReactNode {
  return order.items.map((item) => (
    <Item key={item.item} number={order.order_number} item={item} units={unitsOf(order, item)} onResolve={onResolve} />
  ));
}

const SHOWN_AT_FIRST = 10;

function Item({
  number,
  item,
  units,
  onResolve,
}: { number: string; item: ItemView; units: UnitView[] } & Pick<ItemsProps, 'onResolve'>): ReactNode {
  const t = useT();
  const mayReveal = useMay('codes.reveal');
  const [isExpanded, setExpanded] = useState(false);
  const { sku, kind, quantity, unit_price } = item;
  // A shortened list starts with the units that need a decision.
  const shown = isExpanded || units.length <= SHOWN_AT_FIRST ? units : urgentFirst(units).slice(0, SHOWN_AT_FIRST);
  return (
    <section className={classes.item}>
      <div className={classes.head}>
        <div>
          <h3 className="mono">
            <Link to="/products/$sku" params={{ sku }}>
              {sku}
            </Link>
          </h3>
          <p className="muted">{t(kind === 'code' ? 'item.code' : 'item.topup')}</p>
        </div>
        <div className={classes.amount}>
          <span className="number">
            {quantity} × <Amount value={unit_price} />
          </span>
          <Status of={item.status} />
        </div>
      </div>
      <ul className={classes.units}>
        {shown.map((unit) => (
          <Unit key={unit.unit} unit={unit} onResolve={onResolve}>
            {mayReveal && kind === 'code' && unit.state === 'succeeded' && (
              <RevealCode number={number} unit={unit.unit} />
            )}
          </Unit>
        ))}
      </ul>
      {shown.length < units.length && (
        <Button size="xs" variant="subtle" onClick={() => setExpanded(true)}>
          {t('unit.showAll', { count: units.length })}
        </Button>
      )}
    </section>
  );
}

const urgentFirst = (units: readonly UnitView[]): UnitView[] =>
  [...units].sort((one, other) => rank(one) - rank(other));

const rank = (unit: UnitView): number => (unit.can_resolve ? 0 : unit.state === 'failed' ? 1 : 2);

function Unit({
  unit,
  onResolve,
  children,
}: { unit: UnitView; children: ReactNode } & Pick<ItemsProps, 'onResolve'>): ReactNode {
  const t = useT();
  const mayResolve = useMay('orders.resolve');
  const [isOpen, setOpen] = useState(false);
  const { attempts, failure_code } = unit;
  return (
    <li className={classes.unit}>
      <div className={classes.line}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <DownIcon />
          <span className="hidden">{t('unit.name')}</span>
          <span className="number">{unit.unit}</span>
        </button>
        <Status of={unit.state} />
        {failure_code && <Code of={failure_code} short />}
        <Link to="/suppliers/$code" params={{ code: unit.supplier }} className={classes.supplier}>
          {unit.supplier}
        </Link>
        <span className={classes.tries}>{t('unit.attempts', { count: attempts.length })}</span>
        {mayResolve && unit.can_resolve && (
          <Button size="compact-xs" variant="default" onClick={() => onResolve(unit.unit)}>
            {t('resolve.open')}
          </Button>
        )}
        {children}
      </div>
      {isOpen && (
        <ol className={classes.attempts}>
          {attempts.map((attempt) => (
            <Attempt key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      )}
    </li>
  );
}

function Attempt({ attempt }: { attempt: UnitView['attempts'][number] }): ReactNode {
  const t = useT();
  const { number, supplier, supplier_sku, reference, supplier_reference, state, cost, currency } = attempt;
  return (
    <li className={classes.attempt}>
      <div className={classes.attemptHead}>
        <span className={classes.attemptName}>
          {t('unit.attempt', { number })} · {supplier} <span className="mono muted">{supplier_sku}</span>
        </span>
        <Status of={state} />
        {cost !== null && <Amount value={cost} currency={currency} />}
      </div>
      <p className={classes.reference}>
        <span className="muted">{t('unit.ourReference')}</span> <span className="mono">{reference}</span>
        <Copy value={reference} what={t('unit.ourReference')} />
      </p>
      {supplier_reference !== null && (
        <p className={classes.reference}>
          <span className="muted">{t('unit.theirReference')}</span> <span className="mono">{supplier_reference}</span>
          <Copy value={supplier_reference} what={t('unit.theirReference')} />
        </p>
      )}
      {attempt.failure_code && <Code of={attempt.failure_code} />}
    </li>
  );
}
