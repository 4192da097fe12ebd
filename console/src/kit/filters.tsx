import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { DayInput } from './day-input';
import { CrossIcon, DownIcon, PlusIcon } from './icons';
import classes from './filters.module.css';

export interface Filter {
  name: string;
  label: string;
  /** The values to choose from. Without them the filter is a text field or a day field. */
  choices?: readonly { value: string; label: string }[];
  type?: 'text' | 'number' | 'date';
}

interface FiltersProps {
  filters: readonly Filter[];
  values: Readonly<Record<string, string | undefined>>;
  /** Whether a change replaces the address in the browser's history instead of adding one. */
  replace?: boolean;
  children?: ReactNode;
}

/**
 * Filters as chips that show their value and can be removed one by one or all together. A change updates the address of
 * the page and returns to the first page of the list.
 */
export function Filters({ filters, values, replace = false, children }: FiltersProps): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const change = (changes: Record<string, string | undefined>): void =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...changes, cursor: undefined }),
      replace,
    });
  const isAnySet = filters.some(({ name }) => values[name]);
  return (
    <div className={classes.filters} role="group" aria-label={t('filters.label')}>
      {children}
      {filters.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={values[filter.name]}
          onChange={(value) => change({ [filter.name]: value })}
        />
      ))}
      {isAnySet && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          {t('filters.clear')}
        </Button>
      )}
    </div>
  );
}

interface ChipProps {
  filter: Filter;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Chip({ filter, value, onChange }: ChipProps): ReactNode {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const { label, choices } = filter;
  const shown = choices?.find((choice) => choice.value === value)?.label ?? value;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
      <span className={classes.chip} data-set={value !== undefined}>
        {value !== undefined && (
          <button
            type="button"
            className={classes.remove}
            aria-label={t('filters.remove', { filter: label })}
            onClick={() => onChange(undefined)}
          >
            <CrossIcon />
          </button>
        )}
        <Popover.Target>
          <button type="button" className={classes.open} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {value === undefined && <PlusIcon />}
            {label}
            {shown !== undefined && <span className={classes.value}>{shown}</span>}
            {value !== undefined && <DownIcon />}
          </button>
        </Popover.Target>
      </span>
      <Popover.Dropdown>
        <Editor
          filter={filter}
          value={value}
          onChange={(next) => {
            setOpen(false);
            onChange(next);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Editor({ filter: { label, choices, type }, value, onChange }: ChipProps): ReactNode {
  const t = useT();
  const [draft, setDraft] = useState(value ?? choices?.[0]?.value ?? '');
  return (
    <form
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(draft.trim() || undefined);
      }}
    >
      {choices ? (
        <NativeSelect
          label={t('filters.by', { filter: label })}
          data={choices.map((choice) => ({ ...choice }))}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
      ) : type === 'date' ? (
        <DayInput label={t('filters.by', { filter: label })} value={draft} onChange={setDraft} />
      ) : (
        <TextInput
          label={t('filters.by', { filter: label })}
          inputMode={type === 'number' ? 'numeric' : undefined}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
      )}
      <Button type="submit" size="xs" fullWidth>
        {t('filters.apply')}
      </Button>
    </form>
  );
}
