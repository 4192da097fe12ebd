import { Button } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { SUPPLIER_TABS } from '../../choices';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { Tabs } from '../../kit/tabs';
import { useMay } from '../../session';
import { Catalogue, RemoveSupplier, SupplierLog, SupplierOffers, SupplierSettings } from './parts';
import { SupplierFacts } from './supplier-facts';
import { SupplierFigures } from './supplier-figures';
import type { SupplierDetail } from './supplier-view';
import { PauseButton } from './suppliers';
import { TestSupplier } from './test-supplier';
import { UndecidedCalls } from './undecided-calls';
import classes from './supplier.module.css';

/** One supplier with its health, settings and offers. */
export function Supplier(): ReactNode {
  const { code } = useParams({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['suppliers', code],
    queryFn: ({ signal }) => ask(() => client.GET('/api/suppliers/{code}', { params: { path: { code } }, signal })),
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
  const maySet = useMay('suppliers.set');
  const [open, setOpen] = useState<'test' | 'settings' | 'remove' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <LiveButton />
      {mayPause && (
        <Button size="xs" variant="default" onClick={() => setOpen('test')}>
          {t('suppliers.test')}
        </Button>
      )}
      {mayPause && <PauseButton supplier={supplier} size="xs" />}
      {maySet && (
        <Button size="xs" variant="default" onClick={() => setOpen('settings')}>
          {t('suppliers.settings')}
        </Button>
      )}
      {maySet && (
        <Button size="xs" variant="default" onClick={() => setOpen('remove')}>
          {t('suppliers.remove')}
        </Button>
      )}
      {open === 'test' && <TestSupplier code={supplier.code} onClose={close} />}
      {open === 'settings' && <SupplierSettings supplier={supplier} onClose={close} />}
      {open === 'remove' && <RemoveSupplier code={supplier.code} onClose={close} />}
    </>
  );
}

function Content({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const { tab = 'overview' } = useSearch({ from: '/shell/suppliers/$code' });
  return (
    <>
      <Parts supplier={supplier} shown={tab} />
      {tab === 'overview' && (
        <div className={classes.columns}>
          <div>
            <SupplierFigures supplier={supplier} />
            <UndecidedCalls code={supplier.code} />
          </div>
          <SupplierFacts supplier={supplier} />
        </div>
      )}
      {tab === 'catalogue' && <Catalogue supplier={supplier} />}
      {tab === 'offers' && <SupplierOffers code={supplier.code} />}
      {tab === 'log' && <SupplierLog code={supplier.code} />}
    </>
  );
}

function Parts({ supplier: { code, has_catalogue }, shown }: { supplier: SupplierDetail; shown: string }): ReactNode {
  const t = useT();
  const seesLog = useMay('log.read');
  const parts = (['overview', ...SUPPLIER_TABS] as const).filter(
    (part) => (part !== 'catalogue' || has_catalogue) && (part !== 'log' || seesLog),
  );
  return (
    <Tabs
      label={code}
      tabs={parts.map((part) => ({
        name: t(`suppliers.${part}`),
        link: { to: '/suppliers/$code', params: { code }, search: part === 'overview' ? {} : { tab: part } },
        isActive: part === shown,
      }))}
    />
  );
}
