import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { DownloadIcon } from './icons';

interface CsvButtonProps {
  /** Such as `/api/orders.csv`. */
  path: string;
  /** The filters that are set; what is undefined is not asked for. */
  query: Readonly<Record<string, string | number | undefined>>;
}

/** Downloads a list as CSV with the filters that are set. */
export function CsvButton({ path, query }: CsvButtonProps): ReactNode {
  const t = useT();
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return (
    <Button
      component="a"
      size="xs"
      variant="default"
      leftSection={<DownloadIcon />}
      href={asked === '' ? path : `${path}?${asked}`}
      download
    >
      {t('action.csv')}
    </Button>
  );
}
