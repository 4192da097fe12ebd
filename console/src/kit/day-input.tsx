import { ActionIcon, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { day } from '../search-params';
import classes from './day-input.module.css';
import { CalendarIcon } from './icons';

interface DayInputProps {
  label: string;
  description?: string;
  /** A day such as `2026-11-22`, empty, or null while the text is no day. */
  value: string | null;
  /** Receives a day, an empty text if the field is empty, or null while the text is no day. */
  onChange: (value: string | null) => void;
}

const readDay = (text: string): string | null => (text.trim() === '' ? '' : (day(text.trim()) ?? null));

/**
 * A field for a day, written year first in every browser. A native date field follows the language of the browser, so
 * one operator would read 03/04 as March and another as April. The native calendar still opens.
 */
export function DayInput({ label, description, value, onChange }: DayInputProps): ReactNode {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const isWrong = draft !== null && readDay(draft) === null;
  const problem = isWrong ? t('day.form') : '';
  // A form must not be sent as if the field were empty.
  useEffect(() => field.current?.setCustomValidity(problem), [problem]);
  const change = (text: string): void => {
    setDraft(text);
    onChange(readDay(text));
  };
  return (
    <TextInput
      ref={field}
      className={classes.day}
      label={label}
      description={description}
      placeholder="YYYY-MM-DD"
      title={t('day.form')}
      error={problem}
      autoComplete="off"
      value={draft ?? value ?? ''}
      onChange={(event) => change(event.currentTarget.value)}
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
            value={value ?? ''}
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
