import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { EVERY, usePolled } from '../../kit/live';
import { Moment, ZoneName } from '../../kit/moment';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Stack, Table, type Column } from '../../kit/table';
import type { components } from '../../schema';

type Statement = components['schemas']['StatementDto'];

/** The imported statements of a channel, newest first. */
export function Statements({ channel }: { channel: string }): ReactNode {
  const t = useT();
  const { cursor } = useSearch({ from: '/shell/channels/$code' });
  const query = usePolled({
    queryKey: ['channels', channel, 'statements', cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/statements', { params: { query: { channel, cursor } }, signal })),
    every: EVERY.rest,
  });
  return (
    <Answered query={query} rows={3}>
      {({ data, next_cursor }) => (
        <>
          {data.length > 0 ? (
            <Table label={t('statements.title')} columns={columnsOf(t)} rows={data} keyOf={({ id }) => String(id)} />
          ) : (
            <Empty title={t('statements.none')}>{t('statements.noneHint')}</Empty>
          )}
          <Pages next={next_cursor} />
        </>
      )}
    </Answered>
  );
}

const columnsOf = (t: Translate): Column<Statement>[] => [
  {
    id: 'days',
    head: t('statements.days'),
    cell: ({ from, to }) => (from === null ? '–' : from === to ? from : `${from} – ${to}`),
    card: 'title',
  },
  { id: 'lines', head: t('statements.lines'), cell: ({ lines }) => lines, align: 'end' },
  {
    id: 'closing',
    head: t('statements.closing'),
    cell: ({ closing }) => closing !== null && <Amount value={closing} />,
    align: 'end',
  },
  {
    id: 'at',
    head: (
      <>
        {t('statements.at')} · <ZoneName />
      </>
    ),
    cell: ({ created_at: at, operator }) => (
      <Stack below={operator}>
        <Moment at={at} form="short" zoned={false} />
      </Stack>
    ),
    align: 'end',
  },
];
