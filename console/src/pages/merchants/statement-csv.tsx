import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { addDays, startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { FilesMenu } from './files-menu';

/** Downloads the statement of a period, or the whole statement when no days are chosen. */
export function StatementCsv({ id }: { id: number }): ReactNode {
  const t = useT();
  return (
    <FilesMenu label={t('statement.csv')}>
      <Period id={id} />
    </FilesMenu>
  );
}

/** The days and the link. They begin empty whenever the menu opens, as the fields do. */
function Period({ id }: { id: number }): ReactNode {
  const { t, zone } = useWords();
  const [from, setFrom] = useState<string | null>('');
  const [to, setTo] = useState<string | null>('');
  const isWrong = from === null || to === null;
  const period = new URLSearchParams({
    ...(from ? { from: startOfDay(from, zone) } : {}),
    ...(to ? { to: startOfDay(addDays(to, 1), zone) } : {}),
  }).toString();
  return (
    <>
      <DayInput label={t('statement.from')} value={from} onChange={setFrom} />
      <DayInput label={t('statement.to')} value={to} onChange={setTo} />
      {isWrong ? (
        <Button size="xs" fullWidth disabled>
          {t('statement.download')}
        </Button>
      ) : (
        <Button
          component="a"
          size="xs"
          fullWidth
          download
          href={`/api/merchants/${id}/entries.csv${period === '' ? '' : `?${period}`}`}
        >
          {t('statement.download')}
        </Button>
      )}
    </>
  );
}
