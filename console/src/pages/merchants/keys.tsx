import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Ago, Moment } from '../../kit/moment';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { IssueKey } from './issue-key';
import { KeyShown } from './key-shown';
import { RevokeKey, RotateKey } from './key-dialogs';
import { useMerchant, useMerchantId, type KeyView } from './merchant-view';
import classes from './keys.module.css';

type Dialog = { does: 'issue' } | { does: 'rotate' | 'revoke'; key: KeyView };

/** The API keys of the merchant. The console shows a key only once, when it is issued. */
export function Keys(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const name = useMerchant().data?.name ?? '';
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [issued, setIssued] = useState<string | null>(null);
  const may = { issue: useMay('keys.issue'), rotate: useMay('keys.rotate'), revoke: useMay('keys.revoke') };
  const query = usePolled({
    queryKey: ['merchant', id, 'keys'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/merchants/{id}/keys', { params: { path: { id } }, signal })),
    every: EVERY.rest,
  });
  const close = (): void => setDialog(null);
  const issue = may.issue && (
    <Button size="xs" onClick={() => setDialog({ does: 'issue' })}>
      {t('keys.issue')}
    </Button>
  );
  return (
    <>
      <div className={classes.head}>{query.data?.data.length !== 0 && issue}</div>
      <Answered query={query} rows={3}>
        {({ data }) =>
          data.length > 0 ? (
            <Table
              label={t('merchant.keys')}
              columns={columnsOf(t, may, setDialog, query.dataUpdatedAt)}
              rows={data}
              keyOf={(key) => String(key.id)}
            />
          ) : (
            <Empty title={t('keys.none')} action={issue}>
              {t('keys.noneHint')}
            </Empty>
          )
        }
      </Answered>
      {dialog?.does === 'issue' && <IssueKey merchant={{ id, name }} onIssued={setIssued} onClose={close} />}
      {dialog?.does === 'rotate' && (
        <RotateKey merchant={{ id, name }} apiKey={dialog.key} onIssued={setIssued} onClose={close} />
      )}
      {dialog?.does === 'revoke' && <RevokeKey merchant={{ id, name }} apiKey={dialog.key} onClose={close} />}
      {issued !== null && <KeyShown apiKey={issued} onKept={() => setIssued(null)} />}
    </>
  );
}

const columnsOf = (
  t: Translate,
  may: Record<'rotate' | 'revoke', boolean>,
  onOpen: (dialog: Dialog) => void,
  nowMs: number,
): Column<KeyView>[] => [
  {
    id: 'prefix',
    head: t('keys.prefix'),
    cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
    card: 'title',
  },
  { id: 'state', head: t('keys.state'), cell: ({ state }) => <Status of={state} />, card: 'corner' },
  { id: 'name', head: t('keys.name'), cell: ({ name }) => name, isCut: true },
  {
    id: 'networks',
    head: t('keys.networks'),
    cell: ({ allowed_networks: networks }) =>
      networks.length === 0 ? t('keys.anyNetwork') : <span title={networks.join(', ')}>{networks.join(', ')}</span>,
    isCut: true,
  },
  {
    id: 'ends',
    head: t('keys.ends'),
    cell: ({ revoked_at: revoked, expires_at: expires }) => {
      const end = revoked ?? expires;
      return end === null ? t('keys.never') : <Moment at={end} form="short" />;
    },
  },
  {
    id: 'used',
    head: t('keys.used'),
    cell: ({ last_used_at: at }) => <LastUse at={at} nowMs={nowMs} />,
  },
  {
    id: 'created',
    head: t('keys.created'),
    cell: ({ created_at: at }) => <Moment at={at} form="short" />,
    card: 'hidden',
    from: 1120,
  },
  ...(may.rotate || may.revoke
    ? [
        {
          id: 'actions',
          head: <span className="hidden">{t('keys.actions')}</span>,
          align: 'end' as const,
          cell: (key: KeyView) => key.state === 'active' && <KeyActions apiKey={key} may={may} onOpen={onOpen} />,
        },
      ]
    : []),
];

const HOUR_MS = 3_600_000;

/** The API stores the last use only to the hour. */
function LastUse({ at, nowMs }: { at: string | null; nowMs: number }): ReactNode {
  const t = useT();
  if (at === null) return <span className="muted">{t('keys.notUsed')}</span>;
  return nowMs - Date.parse(at) < HOUR_MS ? t('keys.usedNow') : <Ago at={at} />;
}

interface KeyActionsProps {
  apiKey: KeyView;
  may: Record<'rotate' | 'revoke', boolean>;
  onOpen: (dialog: Dialog) => void;
}

function KeyActions({ apiKey, may, onOpen }: KeyActionsProps): ReactNode {
  const t = useT();
  return (
    <span className={classes.actions}>
      {(['rotate', 'revoke'] as const)
        .filter((does) => may[does])
        .map((does) => (
          <Button
            key={does}
            size="compact-xs"
            variant="default"
            aria-label={t(`keys.${does}Which`, { prefix: apiKey.prefix })}
            onClick={() => onOpen({ does, key: apiKey })}
          >
            {t(`keys.${does}`)}
          </Button>
        ))}
    </span>
  );
}
