import { Button, Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { useMay } from '../../session';
import { Catalogue } from './catalogue';
import { SupplierFacts } from './supplier-facts';
import { SupplierFigures } from './supplier-figures';
import type { SupplierDetail } from './supplier-view';
import { PauseButton } from './suppliers';
import { TestSupplier } from './test-supplier';
import classes from './supplier.module.css';

/** One supplier: how it does, how it is set, and what it sells. */
export function Supplier(): ReactNode {
  const { code } = useParams({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['suppliers', code],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/suppliers/{code}', { params: { path: { code } }, signal })),
    every: EVERY.figures,
  });
  return (
    <Page
      title={code}
      beside={query.data && <Status of={query.data.state} />}
      actions={query.data && <Actions supplier={query.data} />}
    >
      <Answered query={query} rows={10}>
        {(supplier) => <Content supplier={supplier} />}
      </Answered>
    </Page>
  );
}

function Actions({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const mayPause = useMay('suppliers.pause');
  const [isTesting, setTesting] = useState(false);
  return (
    <>
      <LiveButton />
      <Button size="xs" variant="default" onClick={() => setTesting(true)}>
        {t('suppliers.test')}
      </Button>
      {mayPause && <PauseButton supplier={supplier} size="xs" />}
      {isTesting && <TestSupplier code={supplier.code} onClose={() => setTesting(false)} />}
    </>
  );
}

function Content({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { tab = 'overview' } = useSearch({ from: '/shell/suppliers/$code' });
  const open = (next: string | null): void =>
    void navigate({
      to: '.',
      search: () => (next === 'catalogue' ? { tab: 'catalogue' as const } : {}),
    });
  const overview = (
    <div className={classes.columns}>
      <SupplierFigures supplier={supplier} />
      <SupplierFacts supplier={supplier} />
    </div>
  );
  if (!supplier.has_catalogue) return overview;
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List className={classes.tabs}>
        <Tabs.Tab value="overview">{t('suppliers.overview')}</Tabs.Tab>
        <Tabs.Tab value="catalogue">{t('suppliers.catalogue')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="overview">{overview}</Tabs.Panel>
      <Tabs.Panel value="catalogue">
        <Catalogue supplier={supplier} />
      </Tabs.Panel>
    </Tabs>
  );
}
