import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords } from '../../i18n/words';
import { Chart } from '../../kit/chart';
import { EVERY, usePolled } from '../../kit/live';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import type { components } from '../../schema';
import { formatMs } from './numbers';
import { OUTCOME_TONES, type SupplierDetail } from './supplier-view';

const HOURS = { hour: 1, day: 24, week: 168 } as const;
type Range = keyof typeof HOURS;

const fromOf = (range: Range): string => new Date(Date.now() - HOURS[range] * 3_600_000).toISOString();

/** Outcomes and durations of calls, and the balance, over an hour, a day or a week. */
export function SupplierFigures({ supplier: { code } }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { range = 'hour' } = useSearch({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['figures', 'minutes', code, range],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/figures/minutes', {
          params: { query: { supplier: code, from: fromOf(range) } },
          signal,
        }),
      ),
    every: range === 'hour' ? EVERY.figures : EVERY.rest,
  });
  const choose = (next: string): void =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, range: next === 'day' || next === 'week' ? next : undefined }),
      replace: true,
    });
  return (
    <div>
      <SegmentedControl
        size="xs"
        mb="md"
        aria-label={t('suppliers.range')}
        value={range}
        onChange={choose}
        data={(['hour', 'day', 'week'] as const).map((value) => ({
          value,
          label: t(`suppliers.range.${value}`),
        }))}
      />
      <Answered query={query} rows={12}>
        {(figures) => <Charts figures={figures} />}
      </Answered>
      <Balances code={code} range={range} />
    </div>
  );
}

function Charts({ figures }: { figures: components['schemas']['FiguresOverTimeDto'] }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { at, counts, durations } = figures;
  const sends = durations.find(({ name }) => name === 'send');
  const outcomes = OUTCOME_TONES.flatMap(([outcome, tone]) => {
    const found = counts.find(({ name }) => name === outcome);
    return found ? [{ name: t.maybe(`status.${outcome}`) ?? outcome, tone, values: found.values }] : [];
  });
  return (
    <>
      <Section title={t('suppliers.outcomes')}>
        <Chart label={t('suppliers.outcomes')} kind="bars" at={at} series={outcomes} isWhole />
      </Section>
      <Section title={t('suppliers.durationsTitle')}>
        <Chart
          label={t('suppliers.durationsTitle')}
          kind="lines"
          at={at}
          format={(ms) => formatMs(ms, language)}
          series={[
            { name: t('suppliers.typical'), tone: 'accent', values: sends?.p50_ms ?? [] },
            { name: t('suppliers.slow'), tone: 'warn', values: sends?.p95_ms ?? [] },
          ]}
        />
      </Section>
    </>
  );
}

/** Only for suppliers that report a balance. */
function Balances({ code, range }: { code: string; range: Range }): ReactNode {
  const t = useT();
  const { data } = usePolled({
    queryKey: ['suppliers', code, 'balances', range],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/suppliers/{code}/balances', {
          params: { path: { code }, query: { from: fromOf(range) } },
          signal,
        }),
      ),
    every: EVERY.rest,
  });
  const balances = data?.data ?? [];
  if (balances.length < 2) return null;
  const currency = balances.at(-1)?.currency ?? '';
  return (
    <Section title={t('suppliers.balanceOver', { currency })}>
      <Chart
        label={t('suppliers.balanceOver', { currency })}
        kind="lines"
        at={balances.map(({ at }) => at)}
        series={[
          { name: t('suppliers.balance'), tone: 'accent', values: balances.map(({ amount }) => Number(amount)) },
        ]}
      />
    </Section>
  );
}
