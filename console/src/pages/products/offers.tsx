import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { PlusIcon } from '../../kit/icons';
import { lazyPart } from '../../kit/lazy-part';
import { Section } from '../../kit/page';
import { Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { Margin, Missing } from './margin';
import { nameOf, useSetOffer } from './offer-calls';
import classes from './offers.module.css';
import { offerStateOf, type OfferView, type ProductView } from './product-view';

const OfferForm = lazyPart(async () => (await import('./offer-form')).OfferForm);

type Open = { what: 'add' } | { what: 'edit' | 'on' | 'off'; offer: OfferView } | null;

/** The offers of a product, in the order in which routing would use them now. */
export function Offers({ product }: { product: ProductView }): ReactNode {
  const t = useT();
  const [open, setOpen] = useState<Open>(null);
  const maySet = useMay('offers.set');
  const seesCosts = useMay('costs.read');
  const close = (): void => setOpen(null);
  const { offer_list: offers, sku } = product;
  return (
    <Section
      title={t('offer.title')}
      actions={
        maySet && (
          <Button size="xs" variant="default" leftSection={<PlusIcon />} onClick={() => setOpen({ what: 'add' })}>
            {t('offer.add')}
          </Button>
        )
      }
    >
      {offers.length === 0 && <Empty title={t('offer.none')} />}
      {offers.length > 0 && (
        <Table
          label={t('offer.title')}
          columns={[...columnsOf(t, seesCosts), ...(maySet ? [actionsColumn(t, setOpen)] : [])]}
          rows={offers}
          keyOf={nameOf}
        />
      )}
      {open?.what === 'add' && <OfferForm sku={sku} onClose={close} />}
      {open?.what === 'edit' && <OfferForm sku={sku} offer={open.offer} onClose={close} />}
      {open?.what === 'on' && <SwitchOn sku={sku} offer={open.offer} onClose={close} />}
      {open?.what === 'off' && <SwitchOff product={product} offer={open.offer} onClose={close} />}
    </Section>
  );
}

const columnsOf = (t: Translate, seesCosts: boolean): Column<OfferView>[] => [
  {
    id: 'state',
    head: t('offer.state'),
    cell: (offer) => <Status of={offerStateOf(offer)} />,
    card: 'corner',
  },
  {
    id: 'name',
    head: t('productMember.supplier'),
    cell: (offer) => (
      <span className={classes.name}>
        {offer.supplier} <span className={`mono ${classes.sku}`}>{offer.supplier_sku}</span>
        {offer.why_not !== null && <span className={classes.why}>{offer.why_not}</span>}
      </span>
    ),
    card: 'title',
  },
  {
    id: 'priority',
    head: t('productMember.priority'),
    cell: ({ priority }) => <span className="number">{priority}</span>,
    align: 'end',
  },
  ...(seesCosts ? costColumns(t) : []),
  {
    id: 'guard',
    head: t('offer.guard'),
    cell: ({ guard_percent: guard }) => <span className="number">{guard}%</span>,
    align: 'end',
    from: 1120,
  },
];

const costColumns = (t: Translate): Column<OfferView>[] => [
  {
    id: 'cost',
    head: t('product.cost'),
    cell: ({ cost, currency, cost_baht: baht }) =>
      cost === null ? (
        <Missing why={t('product.noCost')} />
      ) : (
        <span className={classes.cost}>
          {baht === null ? (
            <Missing why={t('product.noRate', { currency: currency ?? '' })} />
          ) : (
            <Amount value={baht} />
          )}
          {currency !== 'THB' && (
            <span className={classes.foreign}>
              <Amount value={cost} currency={currency} />
            </span>
          )}
        </span>
      ),
    align: 'end',
  },
  {
    id: 'margin',
    head: t('offer.margin'),
    cell: ({ margin_baht: margin }) =>
      margin ? <Margin value={margin} /> : <Missing why={t('product.marginNeedsCost')} />,
    align: 'end',
  },
];

const actionsColumn = (t: Translate, open: (what: Open) => void): Column<OfferView> => ({
  id: 'actions',
  head: <span className="hidden">{t('offer.edit')}</span>,
  cell: (offer) => (
    <span className={classes.actions}>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${t('offer.edit')} ${nameOf(offer)}`}
        onClick={() => open({ what: 'edit', offer })}
      >
        {t('offer.edit')}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${t(offer.active ? 'offer.off' : 'offer.on')} ${nameOf(offer)}`}
        onClick={() => open({ what: offer.active ? 'off' : 'on', offer })}
      >
        {t(offer.active ? 'offer.off' : 'offer.on')}
      </Button>
    </span>
  ),
  align: 'end',
});

/** Asks, because a refresh of the page may have put "Switch on" under the pointer. */
function SwitchOn({ sku, offer, onClose }: { sku: string; offer: OfferView; onClose: () => void }): ReactNode {
  const t = useT();
  const set = useSetOffer(sku);
  const name = nameOf(offer);
  return (
    <Confirm
      title={t('offer.onTitle', { offer: name })}
      verb={t('offer.on')}
      isHarmless
      onConfirm={() => set({ ...keyOf(offer), active: true, expected_updated_at: offer.updated_at })}
      onClose={onClose}
    >
      <p>{t('offer.onConsequence', { offer: name })}</p>
    </Confirm>
  );
}

/** Shows how many other offers orders can still use. */
function SwitchOff({
  product: { sku, offer_list: offers },
  offer,
  onClose,
}: {
  product: ProductView;
  offer: OfferView;
  onClose: () => void;
}): ReactNode {
  const t = useT();
  const set = useSetOffer(sku);
  const name = nameOf(offer);
  const left = offers.filter((each) => each.routable && nameOf(each) !== name).length;
  return (
    <Confirm
      title={t('offer.offTitle', { offer: name })}
      verb={t('offer.off')}
      requiresReason
      onConfirm={(reason) =>
        set({
          ...keyOf(offer),
          active: false,
          reason,
          expected_routable: left,
          expected_updated_at: offer.updated_at,
        })
      }
      onClose={onClose}
    >
      <p>{t('offer.offConsequence', { offer: name })}</p>
      <p className={left === 0 ? classes.alarm : undefined}>
        {left === 0 ? t('offer.leftNone', { sku }) : t('offer.left', { count: left })}
      </p>
    </Confirm>
  );
}

const keyOf = ({ sku, supplier, supplier_sku }: OfferView) => ({ sku, supplier, supplier_sku });
