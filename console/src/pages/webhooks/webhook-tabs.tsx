import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Tabs } from '../../kit/tabs';

/** The tabs of webhooks and deliveries. */
export function WebhookTabs(): ReactNode {
  const t = useT();
  return (
    <Tabs
      label={t('nav.webhooks')}
      tabs={[
        { name: t('webhooks.all'), link: { to: '/webhooks' } },
        { name: t('deliveries.all'), link: { to: '/deliveries' } },
      ]}
    />
  );
}
