import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Tabs } from '../../kit/tabs';

/** Leads from one page about deposits to the others. */
export function DepositTabs(): ReactNode {
  const t = useT();
  return (
    <Tabs
      label={t('nav.deposits')}
      tabs={[
        { name: t('nav.deposits'), link: { to: '/deposits', search: {} }, isExact: true },
        { name: t('payments.title'), link: { to: '/payments', search: {} } },
        { name: t('channels.title'), link: { to: '/channels' } },
      ]}
    />
  );
}
