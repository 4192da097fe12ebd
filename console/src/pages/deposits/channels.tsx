import type { ReactNode } from 'react';
import { useT, type Translate } from '../../i18n/words';
import { AddButton } from '../../kit/add-button';
import { formatAmount } from '../../kit/amount';
import { LiveButton } from '../../kit/live-controls';
import { Ago, Moment, ZoneName } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { DepositTabs } from './deposit-tabs';
import { isOld, useChannels, type ChannelView } from './deposit-view';
import { ChannelSettings } from './parts';

/** The accounts to which merchants pay, with what their statements cover. */
export function Channels(): ReactNode {
  const t = useT();
  const maySet = useMay('channels.set');
  const query = useChannels();
  return (
    <Page
      title={t('channels.title')}
      actions={
        <>
          <LiveButton />
          {maySet && <AddButton label={t('channels.add')}>{(close) => <ChannelSettings onClose={close} />}</AddButton>}
        </>
      }
    >
      <DepositTabs />
      <Answered query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t('channels.none')}>{t('channels.noneHint')}</Empty>
          ) : (
            <Table
              label={t('channels.title')}
              columns={columnsOf(t)}
              rows={data}
              keyOf={({ code }) => code}
              linkOf={({ code }) => ({ to: '/channels/$code', params: { code } })}
            />
          )
        }
      </Answered>
    </Page>
  );
}

const columnsOf = (t: Translate): Column<ChannelView>[] => [
  { id: 'code', head: t('channels.code'), cell: ({ code }) => code, card: 'title' },
  {
    id: 'status',
    head: t('channels.status'),
    cell: ({ status }) => <Status of={`channel_${status}`} />,
    card: 'corner',
  },
  { id: 'adapter', head: t('channels.adapter'), cell: ({ adapter }) => adapter, from: 1000 },
  {
    id: 'limits',
    head: t('channels.limits'),
    cell: ({ min, max }) => (
      <span className="number">
        {formatAmount(min)} – {formatAmount(max)}
      </span>
    ),
    align: 'end',
  },
  { id: 'priority', head: t('channels.priority'), cell: ({ priority }) => priority, align: 'end', from: 1120 },
  {
    id: 'imported',
    head: t('channels.imported'),
    cell: (channel) => <LastImport channel={channel} />,
    align: 'end',
  },
  {
    id: 'covered',
    head: (
      <>
        {t('channels.covered')} · <ZoneName />
      </>
    ),
    cell: ({ covered_until: at }) => at && <Moment at={at} form="short" zoned={false} />,
    align: 'end',
    from: 1000,
  },
];

/** When a statement was last imported, and whether the last file was refused or is old. */
export function LastImport({ channel }: { channel: ChannelView }): ReactNode {
  const t = useT();
  const { refused, imported_at: at, has_statements: hasStatements } = channel;
  if (refused !== null) return <Status of="statement_refused" />;
  if (at === null)
    return <span className="muted">{t(hasStatements ? 'channels.never' : 'channels.noStatements')}</span>;
  return (
    <>
      {isOld(channel) && <Status of="statement_old" />} <Ago at={at} />
    </>
  );
}
