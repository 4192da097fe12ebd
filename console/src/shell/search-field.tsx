import { Kbd, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { loadArea, useT } from '../i18n/words';
import { usedEscapes } from '../kit/escape';
import { SearchIcon } from '../kit/icons';
import { lazyPart } from '../kit/lazy-part';
import classes from './search-field.module.css';

const LiveResults = lazyPart(async () => {
  const [{ LiveResults: results }] = await Promise.all([import('../pages/search/live-results'), loadArea('search')]);
  return results;
});

/** A pause in typing that is worth a request. */
const PAUSE_MS = 200;
/** Shorter terms match too much. Enter searches for them as well. */
const MIN_LENGTH = 3;

/** Searches for any number or name while the operator types. `/` and Ctrl K focus it, and Enter opens the search page. */
export function SearchField({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { q = '' } = useSearch({ strict: false });
  const [typed, setTyped] = useState('');
  const [term] = useDebouncedValue(typed, PAUSE_MS);
  const close = (): void => setTyped('');
  const leave = (): void => {
    close();
    inputRef.current?.blur();
  };
  const isOpen = typed !== '' && term.length >= MIN_LENGTH;
  return (
    // The keys come from the field and the results in the form.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      role="search"
      className={classes.search}
      onSubmit={(event) => {
        event.preventDefault();
        leave();
        const wanted = inputRef.current?.value.trim() ?? '';
        if (wanted !== '') void navigate({ to: '/search', search: { q: wanted } });
      }}
      // The field keeps the focus. Safari focuses no link, so the results would close before the click reaches one.
      onMouseDown={(event) => event.target !== inputRef.current && event.preventDefault()}
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && close()}
      onKeyDown={(event) => {
        moveFocus(event);
        if (event.key !== 'Escape') return;
        usedEscapes.add(event.nativeEvent);
        leave();
      }}
    >
      <TextInput
        ref={inputRef}
        type="search"
        size="sm"
        aria-label={t('search.label')}
        placeholder={t('search.placeholder')}
        autoComplete="off"
        leftSection={<SearchIcon />}
        rightSection={<Kbd className={classes.key}>/</Kbd>}
        // A new key resets the field when the term in the address changes.
        key={q}
        defaultValue={q}
        onChange={(event) => setTyped(event.currentTarget.value.trim())}
      />
      {isOpen && <LiveResults term={term} onLeave={leave} />}
    </form>
  );
}

/** The arrow keys lead from the field through the results and back. */
function moveFocus(event: KeyboardEvent<HTMLFormElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
  const next = stops[stops.findIndex((stop) => stop === document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
