import { Button } from '@mantine/core';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { NewerIcon, OlderIcon } from './icons';
import classes from './pages.module.css';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of all pages before this one, oldest first. '' is the first page. */
    pagesBefore?: readonly string[];
  }
}

/**
 * "Newer" and "Older" for a list with cursors. The API gives only the next cursor, so the browser keeps the earlier
 * ones.
 */
export function Pages({ next }: { next: string | null }): ReactNode {
  const t = useT();
  const router = useRouter();
  const navigate = useNavigate();
  const { cursor } = useSearch({ strict: false });
  const before = router.state.location.state.pagesBefore ?? [];
  const goTo = (target: string | undefined, pagesBefore: readonly string[]): void => {
    window.scrollTo({ top: 0 });
    void navigate({
      to: '.',
      search: (search: Record<string, unknown>) => ({ ...search, cursor: target }),
      state: { pagesBefore },
    });
  };
  if (!cursor && next === null) return null;
  return (
    <nav className={classes.pages} aria-label={t('pages.label')}>
      <Button
        {...{ variant: 'default', size: 'xs', leftSection: <NewerIcon />, 'data-shortcut': '[' }}
        disabled={!cursor}
        onClick={() => goTo(before.at(-1) || undefined, before.slice(0, -1))}
      >
        {before.length > 0 || !cursor ? t('pages.newer') : t('pages.newest')}
      </Button>
      <Button
        {...{ variant: 'default', size: 'xs', rightSection: <OlderIcon />, 'data-shortcut': ']' }}
        disabled={next === null}
        onClick={() => goTo(next ?? undefined, [...before, cursor ?? ''])}
      >
        {t('pages.older')}
      </Button>
    </nav>
  );
}
