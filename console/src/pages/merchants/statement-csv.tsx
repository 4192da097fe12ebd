import { Button, Popover } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { addDays, startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import classes from './statement.module.css';

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
    <Popover position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default">
          {t('statement.csv')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.period}>
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
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
