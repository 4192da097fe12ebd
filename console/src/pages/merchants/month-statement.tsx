import { Button, NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formatMonth, monthsUntil, ZONE_OF_DAYS } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { FilesMenu } from './files-menu';
import { useMerchant } from './merchant-view';

const MAX_MONTHS = 36;

/** The statement of a month for the merchant: a page to print, and its lines as CSV. */
export function MonthStatement({ id }: { id: number }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { data: merchant } = useMerchant();
  const [now] = useState(() => new Date());
  const [chosen, setChosen] = useState<string | null>(null);
  if (!merchant) return null;
  const months = monthsUntil(now, ZONE_OF_DAYS, { from: new Date(merchant.created_at), most: MAX_MONTHS });
  // The newest month is not over yet, so the one before it is the usual one to send.
  const month = chosen ?? months[1] ?? months[0] ?? '';
  const addressOf = (format: 'html' | 'csv'): string => `/api/merchants/${id}/statement.${format}?month=${month}`;
  return (
    <FilesMenu label={t('statement.month')}>
      <NativeSelect
        label={t('statement.monthOf')}
        description={t('statement.monthHint')}
        data={months.map((value) => ({ value, label: formatMonth(value, language) }))}
        value={month}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Button component="a" size="xs" fullWidth href={addressOf('html')} target="_blank" rel="noreferrer">
        {t('statement.monthPage')}
      </Button>
      <Button
        component="a"
        size="xs"
        variant="default"
        fullWidth
        download={`statement-${id}-${month}.csv`}
        href={addressOf('csv')}
      >
        {t('statement.monthCsv')}
      </Button>
    </FilesMenu>
  );
}
