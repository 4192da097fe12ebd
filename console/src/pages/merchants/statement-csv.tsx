import { Button, Popover, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { addDays, startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import classes from './statement.module.css';

/** The statement of a period as a file: all of it, where no days are chosen. */
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
          <TextInput
            type="date"
            label={t('statement.from')}
            value={from}
            onChange={(event) => setPeriod([event.currentTarget.value, to ?? ''])}
          />
          <TextInput
            type="date"
            label={t('statement.to')}
            value={to}
            onChange={(event) => setPeriod([from ?? '', event.currentTarget.value])}
          />
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
