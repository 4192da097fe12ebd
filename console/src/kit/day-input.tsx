import { ActionIcon, TextInput } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { day } from '../search-params';
import classes from './day-input.module.css';
import { CalendarIcon } from './icons';

interface DayInputProps {
  label: string;
  description?: string;
  /** Such as `2026-11-22`; empty where none is chosen. */
  value: string;
  /** Told a whole day, or nothing while there is none. */
  onChange: (value: string) => void;
}

/**
 * A day, written year first in every browser: a browser's own field has the order of the browser's language, so that one
 * operator would read 03/04 as March and another as April. Its calendar is there all the same.
 */
export function DayInput({ label, description, value, onChange }: DayInputProps): ReactNode {
  const t = useT();
  const calendar = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const isWrong = draft !== null && draft.trim() !== '' && day(draft.trim()) === undefined;
  const take = (text: string): void => {
    setDraft(text);
    onChange(day(text.trim()) ?? '');
  };
  return (
    <TextInput
      className={classes.day}
      label={label}
      description={description}
      placeholder="YYYY-MM-DD"
      pattern="\s*\d{4}-\d{2}-\d{2}\s*"
      title={t('day.form')}
      error={isWrong && t('day.form')}
      autoComplete="off"
      value={draft ?? value}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={() => !isWrong && setDraft(null)}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('day.choose', { field: label })}
            onClick={() => calendar.current?.showPicker()}
          >
            <CalendarIcon />
          </ActionIcon>
          <input
            ref={calendar}
            type="date"
            className={classes.calendar}
            tabIndex={-1}
            aria-hidden="true"
            value={value}
            onChange={(event) => {
              setDraft(null);
              onChange(event.currentTarget.value);
            }}
          />
        </>
      }
    />
  );
}
