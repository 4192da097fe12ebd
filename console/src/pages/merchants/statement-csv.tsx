import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { addDays, startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { FilesMenu } from './files-menu';

/** Downloads the statement of a period, or the whole statement when no days are chosen. */
export function StatementCsv({ id }: { id: number }): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const [[from, to], setPeriod] = useState(['', '']);
  const period = new URLSearchParams({
    ...(from ? { from: startOfDay(from, zone) } : {}),
    ...(to ? { to: startOfDay(addDays(to, 1), zone) } : {}),
  }).toString();
  return (
    <FilesMenu label={t('statement.csv')}>
      <DayInput label={t('statement.from')} value={from ?? ''} onChange={(day) => setPeriod([day, to ?? ''])} />
      <DayInput label={t('statement.to')} value={to ?? ''} onChange={(day) => setPeriod([from ?? '', day])} />
      <Button
        component="a"
        size="xs"
        fullWidth
        download
        href={`/api/merchants/${id}/entries.csv${period === '' ? '' : `?${period}`}`}
      >
        {t('statement.download')}
      </Button>
    </FilesMenu>
  );
}
