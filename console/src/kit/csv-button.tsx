import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { DownloadIcon } from './icons';

interface CsvButtonProps {
  /** The path of the API, such as `/api/orders.csv`. */
  path: string;
  /** The active filters. Undefined ones are left out. */
  query: Readonly<Record<string, string | number | undefined>>;
}

/** Downloads a list as CSV with its active filters. */
export function CsvButton({ path, query }: CsvButtonProps): ReactNode {
  const t = useT();
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return (
    <Button
      component="a"
      size="xs"
      variant="default"
      leftSection={<DownloadIcon />}
      href={search === '' ? path : `${path}?${search}`}
      download
    >
      {t('action.csv')}
    </Button>
  );
}
