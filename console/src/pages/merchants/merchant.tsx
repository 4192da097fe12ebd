import { Button } from '@mantine/core';
import { Outlet, type LinkProps } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useT, type Key } from '../../i18n/words';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { Tabs } from '../../kit/tabs';
import { useMay, useSession, type Permission } from '../../session';
import { OpenRequests } from '../approvals/open-requests';
import { AlertDialog } from './alert-dialog';
import { Balances } from './balances';
import { useMerchant, useMerchantId, type MerchantView } from './merchant-view';
import { MoveMoney } from './move-money';
import { Resume, Suspend } from './suspension';

type Dialog = 'credit' | 'debit' | 'alert' | 'suspend' | 'resume';

/** One merchant with its money and actions. The tabs below show the rest. */
export function Merchant(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const query = useMerchant();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const merchant = query.data;
  return (
    <Page
      title={merchant?.name ?? t('merchant.title', { id: String(id) })}
      beside={
        merchant && (
          <>
            <Status of={merchant.status} />
            {merchant.sandbox && <Status of="sandbox" />}
          </>
        )
      }
      actions={merchant && <Actions merchant={merchant} onOpen={setDialog} />}
    >
      <Answered query={query} rows={6}>
        {(loaded) => (
          <>
            {loaded.wallet && <Balances wallet={loaded.wallet} onAlert={() => setDialog('alert')} />}
            <OpenRequests merchant={loaded.id} />
            <Parts id={String(loaded.id)} />
            <Outlet />
            {dialog !== null && <Shown dialog={dialog} merchant={loaded} onClose={() => setDialog(null)} />}
          </>
        )}
      </Answered>
    </Page>
  );
}

interface ActionsProps {
  merchant: MerchantView;
  onOpen: (dialog: Dialog) => void;
}

function Actions({ merchant, onOpen }: ActionsProps): ReactNode {
  const t = useT();
  const [mayMove, maySuspend] = [useMay('wallets.move'), useMay('merchants.suspend')];
  const isActive = merchant.status === 'active';
  return (
    <>
      <LiveButton />
      {maySuspend && (
        <Button size="xs" variant="default" onClick={() => onOpen(isActive ? 'suspend' : 'resume')}>
          {t(isActive ? 'suspend.open' : 'resume.open')}
        </Button>
      )}
      {mayMove && (
        <>
          <Button size="xs" variant="default" onClick={() => onOpen('debit')}>
            {t('move.debit')}
          </Button>
          <Button size="xs" data-shortcut="d" onClick={() => onOpen('credit')}>
            {t('move.credit')}
          </Button>
        </>
      )}
    </>
  );
}

function Shown({
  dialog,
  merchant,
  onClose,
}: {
  dialog: Dialog;
  merchant: MerchantView;
  onClose: () => void;
}): ReactNode {
  const { wallet } = merchant;
  if (dialog === 'suspend') return <Suspend merchant={merchant} onClose={onClose} />;
  if (dialog === 'resume') return <Resume merchant={merchant} onClose={onClose} />;
  if (wallet === null) return null;
  if (dialog === 'alert') return <AlertDialog merchant={merchant} wallet={wallet} onClose={onClose} />;
  return <MoveMoney kind={dialog} merchant={merchant} wallet={wallet} onClose={onClose} />;
}

const PARTS = [
  { name: 'merchant.overview', to: '/merchants/$id', permission: 'merchants.read' },
  { name: 'nav.orders', to: '/merchants/$id/orders', permission: 'orders.read' },
  { name: 'nav.deposits', to: '/merchants/$id/deposits', permission: 'deposits.read' },
  { name: 'merchant.statement', to: '/merchants/$id/statement', permission: 'statements.read' },
  { name: 'merchant.keys', to: '/merchants/$id/keys', permission: 'merchants.read' },
  { name: 'merchant.prices', to: '/merchants/$id/prices', permission: 'products.read' },
  { name: 'nav.webhooks', to: '/merchants/$id/webhooks', permission: 'webhooks.read' },
  { name: 'merchant.log', to: '/merchants/$id/log', permission: 'log.read' },
] as const satisfies readonly { name: Key; to: LinkProps['to']; permission: Permission }[];

function Parts({ id }: { id: string }): ReactNode {
  const t = useT();
  const permissions = useSession()?.permissions ?? [];
  const shown = PARTS.filter(({ permission }) => permissions.includes(permission));
  return (
    <Tabs
      label={t('merchant.parts')}
      tabs={shown.map(({ name, to }) => ({
        name: t(name),
        link: { to, params: { id } },
        isExact: to === '/merchants/$id',
      }))}
    />
  );
}
