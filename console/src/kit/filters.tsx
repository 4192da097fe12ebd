import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { valuesOf } from '../search-params';
import { DayInput } from './day-input';
import { CrossIcon, DownIcon, PlusIcon } from './icons';
import classes from './filters.module.css';

export interface Filter {
  name: string;
  label: string;
  /** The values to choose from. Without them the filter is a text field or a day field. */
  choices?: readonly { value: string; label: string }[];
  type?: 'text' | 'number' | 'date';
  /** Whether the filter takes several values, which the address has with commas between. */
  several?: boolean;
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
  const { label, choices, several } = filter;
  const labelOf = (each: string): string => choices?.find((choice) => choice.value === each)?.label ?? each;
  const shown = value && (several ? valuesOf(value) : [value]).map(labelOf).join(', ');
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

function Editor({ filter: { label, choices, type, several = false }, value, onChange }: ChipProps): ReactNode {
  const t = useT();
  const [draft, setDraft] = useState(value ?? (several ? '' : (choices?.[0]?.value ?? '')));
  return (
    <form
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault();
        onChange((several ? valuesOf(draft).join(',') : draft.trim()) || undefined);
      }}
    >
      {choices && several ? (
        <Boxes label={t('filters.by', { filter: label })} choices={choices} value={draft} onChange={setDraft} />
      ) : choices ? (
        <NativeSelect
          label={t('filters.by', { filter: label })}
          data={choices.map((choice) => ({ ...choice }))}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
      ) : type === 'date' ? (
        <DayInput label={t('filters.by', { filter: label })} value={draft} onChange={(next) => setDraft(next ?? '')} />
      ) : (
        <TextInput
          label={t('filters.by', { filter: label })}
          description={several ? t('filters.several') : undefined}
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

interface BoxesProps {
  label: string;
  choices: NonNullable<Filter['choices']>;
  /** With commas between. */
  value: string;
  onChange: (value: string) => void;
}

/** A box for each value. */
function Boxes({ label, choices, value, onChange }: BoxesProps): ReactNode {
  const chosen = valuesOf(value);
  const toggle = (each: string): void =>
    onChange((chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each]).join(','));
  return (
    <fieldset className={classes.boxes}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input type="checkbox" checked={chosen.includes(choice.value)} onChange={() => toggle(choice.value)} />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
