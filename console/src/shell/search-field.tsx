import { Kbd, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode, RefObject } from 'react';
import { useT } from '../i18n/words';
import { SearchIcon } from '../kit/icons';
import classes from './search-field.module.css';

/** Searches for any number or name. `/` and Ctrl K focus it. */
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
        // A new key resets the field when the term in the address changes.
        key={q}
        defaultValue={q}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </form>
  );
}
