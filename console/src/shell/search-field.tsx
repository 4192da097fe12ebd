import { Kbd, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode, RefObject } from 'react';
import { useT } from '../i18n/words';
import { SearchIcon } from '../kit/icons';
import classes from './search-field.module.css';

/** One field for whatever an operator has in hand; `/` and Ctrl K lead to it. */
export function SearchField({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { q = '' } = useSearch({ strict: false });
  return (
    <form
      role="search"
      className={classes.search}
      onSubmit={(event) => {
        event.preventDefault();
        inputRef.current?.blur();
        const term = inputRef.current?.value.trim() ?? '';
        if (term !== '') void navigate({ to: '/search', search: { q: term } });
      }}
    >
      <TextInput
        ref={inputRef}
        type="search"
        size="sm"
        aria-label={t('search.label')}
        placeholder={t('search.placeholder')}
        leftSection={<SearchIcon />}
        rightSection={<Kbd className={classes.key}>/</Kbd>}
        // Another term in the address is another field.
        key={q}
        defaultValue={q}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </form>
  );
}
