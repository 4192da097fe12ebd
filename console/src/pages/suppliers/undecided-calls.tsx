import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { detailInWords } from '../../kit/call-detail';
import { EVERY, usePolled } from '../../kit/live';
import { Moment, ZoneName } from '../../kit/moment';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import type { components } from '../../schema';
import { formatMs, formatNumber } from './numbers';
import classes from './supplier.module.css';

type Call = components['schemas']['UndecidedCallDto'];

/** The latest calls that did not decide the outcome of a unit. */
export function UndecidedCalls({ code }: { code: string }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const query = usePolled({
    queryKey: ['suppliers', code, 'calls'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/suppliers/{code}/calls', { params: { path: { code } }, signal })),
    every: EVERY.figures,
  });
  return (
    <Section title={t('suppliers.calls')}>
      <Answered query={query} rows={4}>
        {({ data, among }) => (
          <>
            {data.length > 0 && (
              <Table label={t('suppliers.calls')} columns={columnsOf(t, language)} rows={data} keyOf={({ id }) => id} />
            )}
            <p className={classes.among}>
              {t(data.length === 0 ? 'suppliers.callsNone' : 'suppliers.callsAmong', {
                number: formatNumber(among, language),
              })}
            </p>
          </>
        )}
      </Answered>
    </Section>
  );
}

const columnsOf = (t: Translate, language: string): Column<Call>[] => [
  {
    id: 'at',
    head: (
      <>
        {t('suppliers.callAt')} · <ZoneName />
      </>
    ),
    cell: ({ at }) => <Moment at={at} form="short" zoned={false} />,
    card: 'title',
  },
  {
    id: 'unit',
    head: t('suppliers.callUnit'),
    cell: ({ order_number: number, unit }) => (
      <span className={classes.callUnit}>
        <Link to="/orders/$number" params={{ number }} className="mono">
          {number}
        </Link>{' '}
        <span className="muted">{unit}</span>
      </span>
    ),
  },
  {
    id: 'outcome',
    head: t('suppliers.callOutcome'),
    cell: ({ outcome, kind, detail }) => (
      <span className={classes.offerState}>
        <span>
          <Status of={outcome} /> <span className="muted">{t.maybe(`suppliers.call.${kind}`) ?? kind}</span>
        </span>
        {detail !== null && <span className={classes.whyNot}>{detailInWords(detail, t)}</span>}
      </span>
    ),
    card: 'corner',
  },
  {
    id: 'duration',
    head: t('suppliers.callTook'),
    cell: ({ duration_ms: ms }) => <span className="number">{formatMs(ms, language)}</span>,
    align: 'end',
    card: 'hidden',
  },
];
